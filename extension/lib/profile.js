/** The uuid by which the host tells browser profiles apart. Made once, kept in the browser's own storage. */

const KEY = "sidekeepProfile";

/** @type {Promise<string> | null} one at a time, or two first connections would make two profiles */
let asked = null;

/**
 * @param {{get(key: string): Promise<any>, set(key: string, value: unknown): Promise<void>}} area
 * @returns {Promise<string>}
 */
export function profileId(area) {
  asked ??= readOrMake(area).catch((error) => {
    asked = null;
    throw error;
  });
  return asked;
}

/** @param {{get(key: string): Promise<any>, set(key: string, value: unknown): Promise<void>}} area */
async function readOrMake(area) {
  const kept = await area.get(KEY);
  if (typeof kept === "string" && kept) return kept;
  const made = crypto.randomUUID();
  await area.set(KEY, made);
  return made;
}
