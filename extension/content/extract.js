/**
 * Reads the page it is injected into, after vendor/Readability.js and its neighbours here (lib/page-reader.js has the list); its last expression is what the panel gets. It
 * works on a copy: the page itself is not touched, and is told nothing.
 */
(() => {
  /** Below this a page's readable part is compared with all of its text: an application or an index is no article. */
  const SHORT_CHARS = 400;
  /**
   * Readability takes time for each element and for each that it lies in (measured: as long for 6,000 elements 500 deep as for 300,000 flat
   * ones). Beyond this weight, that of 60,000 elements of an ordinary page, a page is taken as it stands.
   */
  const MAX_WEIGHT = 2_100_000;
  /** What an element weighs beside those that it lies in, one each. */
  const OWN_WEIGHT = 20;

  /** @typedef {import("../lib/types.js").Extraction} Extraction */

  /**
   * @typedef {object} Neighbours what the scripts before this one left
   * @property {(root: Node) => string} sidekeepPageMarkdown
   * @property {() => Promise<string>} sidekeepCaptions
   * @property {() => Promise<{ok: true, base64: string} | {ok: false, problem: "pdf_file" | "pdf_too_large" | "pdf_unreachable"}>} sidekeepPdf
   * @property {(found: Extraction) => Extraction} sidekeepBounded
   * @property {any} Readability
   */

  const scope = /** @type {Neighbours} */ (/** @type {unknown} */ (globalThis));

  // A form or a picture named "title" or "body" stands in the way of the document's own member, for extensions too.
  const page = {
    type: /** @type {string} */ (own("contentType")),
    title: /** @type {string} */ (own("title")),
    body: /** @type {HTMLElement | null} */ (own("body")),
    walker: () => Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_ELEMENT),
    copy: () => /** @type {Document} */ (Node.prototype.cloneNode.call(document, true)),
  };

  /** @param {"contentType" | "title" | "body"} name */
  function own(name) {
    return Object.getOwnPropertyDescriptor(Document.prototype, name)?.get?.call(document);
  }

  /** @returns {Extraction} */
  function extract() {
    const type = page.type;
    if (/^(image|video|audio)\//.test(type) || !page.body) return { ok: false, problem: "not_text" };
    const found = type === "text/html" || type === "application/xhtml+xml" ? fromHtml() : { mode: "text", text: plainText() };
    const text = found.text.trim();
    if (!text) return { ok: false, problem: "empty" };
    return { ok: true, url: location.href, title: title(), mode: found.mode, text };
  }

  function title() {
    return page.title.trim() || decoded(location.pathname.split("/").filter(Boolean).at(-1) ?? "") || location.hostname;
  }

  /** @param {string} name */
  function decoded(name) {
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // a percent sign that begins no escape is legal in an address
    }
  }

  /** @returns {{mode: string, text: string}} */
  function fromHtml() {
    const article = readable();
    if (article.length >= SHORT_CHARS) return { mode: "readable", text: article };
    const whole = wholePage();
    return whole.length > 2 * article.length ? { mode: "full", text: whole } : { mode: "readable", text: article };
  }

  function readable() {
    if (isTooHeavy()) return "";
    try {
      const copy = page.copy();
      const article = new scope.Readability(copy, { keepClasses: true, serializer: (/** @type {Element} */ element) => element }).parse();
      return article?.content ? scope.sidekeepPageMarkdown(article.content) : "";
    } catch {
      return ""; // a page built to break parsers: its plain text still counts
    }
  }

  function isTooHeavy() {
    const walker = page.walker();
    let weight = 0;
    for (let depth = 0; weight <= MAX_WEIGHT; weight += OWN_WEIGHT + depth) {
      if (walker.firstChild()) depth += 1;
      else {
        while (!walker.nextSibling()) {
          if (!walker.parentNode()) return false;
          depth -= 1;
        }
      }
    }
    return true;
  }

  function wholePage() {
    return (page.body?.innerText ?? "").split("\n").map((line) => line.trimEnd()).join("\n").replace(/\n{3,}/g, "\n\n").trim();
  }

  function plainText() {
    return page.body?.querySelector("pre")?.textContent ?? page.body?.innerText ?? "";
  }

  /** @returns {Promise<Extraction>} */
  async function withCaptions() {
    const found = extract();
    const captions = document.querySelector("video") ? await scope.sidekeepCaptions() : "";
    if (!captions) return found;
    const head = { ok: /** @type {const} */ (true), url: location.href, title: title(), mode: "captions", videoSrc: location.href };
    return { ...head, text: found.ok ? `${captions}\n\n${found.text}` : captions };
  }

  /** @returns {Promise<Extraction>} */
  async function pdf() {
    const file = await scope.sidekeepPdf();
    return file.ok ? { ...file, url: location.href, title: title(), mode: "pdf", text: "" } : file;
  }

  return (page.type === "application/pdf" ? pdf() : withCaptions()).then(scope.sidekeepBounded);
})();
