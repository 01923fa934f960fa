/** Reads what is selected in the page that it is injected into; its expression is what the panel gets. */
(() => {
  const field = document.activeElement;
  const typed = field instanceof HTMLTextAreaElement ? field.value.slice(field.selectionStart, field.selectionEnd) : "";
  const text = (typed || String(getSelection() ?? "")).trim();
  return text ? { ok: true, url: location.href, title: document.title || location.hostname, mode: "selection", text } : { ok: false, problem: "no_selection" };
})();
