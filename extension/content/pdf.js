/**
 * The file of a PDF that the browser's own viewer shows, for extract.js. It is fetched from within its page: so it comes with the person's cookies,
 * mostly out of the browser's cache, and the extension itself needs no right to connect to any server. Measured: the page's
 * CSP does not forbid it, and a file:// page can fetch nothing.
 */
(() => {
  /** As for a file that is dropped on the panel. */
  const MAX_BYTES = 20_000_000;
  /** Where the format's mark must begin. */
  const HEAD_BYTES = 1024;

  /** @typedef {{ok: true, base64: string} | {ok: false, problem: "pdf_file" | "pdf_too_large" | "pdf_unreachable"}} Fetched */

  const scope = /** @type {{sidekeepPdf: () => Promise<Fetched>}} */ (/** @type {unknown} */ (globalThis));

  scope.sidekeepPdf = async () => {
    if (location.protocol === "file:") return { ok: false, problem: "pdf_file" };
    try {
      const response = await fetch(location.href, { cache: "force-cache", credentials: "include" });
      const file = await upTo(MAX_BYTES, response);
      if (!file) return { ok: false, problem: "pdf_too_large" };
      // A session that has ended, or a form's answer, brings another page at the same address.
      const isPdf = response.ok && (await file.slice(0, HEAD_BYTES).text()).includes("%PDF-");
      return isPdf ? { ok: true, base64: await base64(file) } : { ok: false, problem: "pdf_unreachable" };
    } catch {
      return { ok: false, problem: "pdf_unreachable" };
    }
  };

  /**
   * @param {number} maxBytes
   * @param {Response} response
   * @returns {Promise<Blob | null>} null where it is larger
   */
  async function upTo(maxBytes, { body }) {
    const reader = body?.getReader();
    const pieces = [];
    let bytes = 0;
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
      pieces.push(piece.value);
      bytes += piece.value.length;
      if (bytes > maxBytes) {
        await reader?.cancel();
        return null;
      }
    }
    return new Blob(pieces);
  }

  /**
   * @param {Blob} file
   * @returns {Promise<string>}
   */
  function base64(file) {
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
      reader.addEventListener("error", () => reject(reader.error));
      reader.readAsDataURL(file);
    });
  }
})();
