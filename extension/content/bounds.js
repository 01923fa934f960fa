/**
 * How much of a page is handed to the panel, whatever the page holds: what does not go along is counted, and said in the text itself, so that the
 * model knows of it, too.
 */
(() => {
  const MAX_CHARS = 6_000_000;
  const MAX_TITLE_CHARS = 500;
  const MAX_URL_CHARS = 2048;

  /** @typedef {import("../lib/types.js").Extraction} Extraction */

  const scope = /** @type {{sidekeepBounded: (found: Extraction) => Extraction}} */ (/** @type {unknown} */ (globalThis));

  scope.sidekeepBounded = (found) => {
    if (!found.ok) return found;
    const { videoSrc } = found;
    const text = beginning(found.text, MAX_CHARS);
    const leftOut = found.text.length - text.length;
    return {
      ...found,
      url: beginning(found.url, MAX_URL_CHARS),
      title: beginning(found.title, MAX_TITLE_CHARS),
      ...(videoSrc ? { videoSrc: beginning(videoSrc, MAX_URL_CHARS) } : {}),
      ...(leftOut > 0 ? { leftOut, text: `${text}\n\n[The page goes on: ${leftOut} more characters were left out.]` } : {}),
    };
  };

  /**
   * @param {string} text
   * @param {number} maxChars
   */
  function beginning(text, maxChars) {
    const cut = text.slice(0, maxChars);
    return text.length > maxChars && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut; // no half of a character
  }
})();
