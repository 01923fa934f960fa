/** Reads what is selected in the page that it is injected into, after bounds.js; its expression is what the panel gets. */
(() => {
  const scope = /** @type {{sidekeepBounded: (found: import("../lib/types.js").Extraction) => unknown}} */ (/** @type {unknown} */ (globalThis));
  // The viewer's own frame keeps what is selected to itself.
  if (document.contentType === "application/pdf") return { ok: false, problem: "pdf_selection" };
  const field = document.activeElement;
  const typed = field instanceof HTMLTextAreaElement ? field.value.slice(field.selectionStart, field.selectionEnd) : "";
  const text = (typed || String(getSelection() ?? "")).trim();
  if (!text) return { ok: false, problem: "no_selection" };
  return scope.sidekeepBounded({ ok: true, url: location.href, title: document.title || location.hostname, mode: "selection", text });
})();
