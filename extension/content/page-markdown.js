/**
 * A page's elements as light Markdown: headings, lists, quotes, code and tables keep their form, everything else is text. A classic
 * script: it is injected into the page, in the extension's own world, and leaves one function there.
 */
(() => {
  const SKIPPED = new Set([
    "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "SVG", "CANVAS", "IFRAME", "OBJECT", "EMBED", "INPUT", "SELECT", "TEXTAREA", "BUTTON", "AUDIO",
    "VIDEO", "HEAD", "DIALOG",
  ]);
  const BLOCKS = new Set([
    "ADDRESS", "ARTICLE", "ASIDE", "BODY", "CAPTION", "DD", "DETAILS", "DIV", "DL", "DT", "FIELDSET", "FIGCAPTION", "FIGURE", "FOOTER", "FORM",
    "HEADER", "HGROUP", "MAIN", "NAV", "P", "SECTION", "SUMMARY", "TABLE", "TR", "TD", "TH",
  ]);
  /** Every line carries its lists and quotations: nested without end, these would be longer than the page. */
  const MAX_PREFIX_CHARS = 40;
  const NESTED = "table, p, div, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6";

  class Writer {
    /** @type {string[]} */
    lines = [];
    inline = "";
    /** What every further line of this quote or list item begins with, and what the next line does. */
    prefix = "";
    lead = "";
    /** Inside a list no empty line stands between blocks. */
    lists = 0;

    /** End the running paragraph. */
    flush() {
      const text = this.inline.replace(/[^\S\n]+/g, " ").replace(/ ?\n ?/g, "\n").trim();
      this.inline = "";
      if (text) this.block(text);
    }

    /** @param {string} text */
    block(text) {
      if (this.lines.length > 0 && this.lists === 0) this.lines.push(this.prefix.trimEnd());
      for (const line of text.split("\n")) {
        this.lines.push((this.lead + line).trimEnd());
        this.lead = this.prefix;
      }
    }

    /**
     * @param {string} lead of the first line
     * @param {string} prefix of the others
     * @param {() => void} write
     */
    indented(lead, prefix, write) {
      const outer = this.prefix;
      this.flush();
      if (outer.length < MAX_PREFIX_CHARS) {
        this.lead = this.lead + lead;
        this.prefix = outer + prefix;
      }
      write();
      this.flush();
      this.prefix = outer;
      this.lead = outer;
    }

    /** @param {Node} node */
    children(node) {
      for (let child = node.firstChild; child; child = child.nextSibling) this.node(child);
    }

    /** @param {Node} node */
    node(node) {
      if (node.nodeType === 3) this.inline += /** @type {Text} */ (node).data.replace(/\s+/g, " ");
      else if (node.nodeType === 1) this.element(/** @type {HTMLElement} */ (node));
    }

    /** @param {HTMLElement} element */
    element(element) {
      const tag = element.tagName.toUpperCase();
      if (SKIPPED.has(tag)) return;
      const heading = /^H([1-6])$/.exec(tag);
      if (heading) this.heading(element, Number(heading[1]));
      else if (tag === "PRE") this.code(element);
      else if (tag === "UL" || tag === "OL") this.list(element, tag === "OL");
      else if (tag === "LI") this.indented("- ", "  ", () => this.children(element));
      else if (tag === "BLOCKQUOTE") this.quote(element);
      else if (tag === "TABLE" && isData(element)) this.table(element);
      else if (tag === "BR") this.inline += "\n";
      else if (tag === "HR") this.flush();
      else if (tag === "CODE" || tag === "KBD" || tag === "SAMP") this.inline += ticked(element.textContent ?? "");
      else if (BLOCKS.has(tag)) this.paragraph(element);
      else this.children(element);
    }

    /** @param {HTMLElement} element */
    paragraph(element) {
      this.flush();
      this.children(element);
      this.flush();
    }

    /**
     * @param {HTMLElement} element
     * @param {number} level
     */
    heading(element, level) {
      this.flush();
      const text = oneLine(element.textContent ?? "");
      if (text) this.block(`${"#".repeat(level)} ${text}`);
    }

    /** @param {HTMLElement} element */
    code(element) {
      this.flush();
      const text = (element.textContent ?? "").replace(/^\n/, "").trimEnd();
      if (!text) return;
      const language = /\blanguage-([\w+#-]+)/.exec(element.className + " " + (element.firstElementChild?.className ?? ""))?.[1] ?? "";
      const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
      this.block(`${fence}${language}\n${text}\n${fence}`);
    }

    /**
     * @param {HTMLElement} element
     * @param {boolean} ordered
     */
    list(element, ordered) {
      this.flush();
      if (this.lists === 0 && this.lines.length > 0) this.lines.push(this.prefix.trimEnd());
      this.lists += 1;
      let number = Number(element.getAttribute("start") ?? 1) || 1;
      for (const item of element.children) {
        const marker = ordered ? `${number++}. ` : "- ";
        if (item.tagName.toUpperCase() === "LI") this.indented(marker, " ".repeat(marker.length), () => this.children(item));
        else this.node(item);
      }
      this.flush();
      this.lists -= 1;
    }

    /** @param {HTMLElement} element */
    quote(element) {
      const lists = this.lists;
      this.flush();
      if (this.lines.length > 0 && lists === 0) this.lines.push(this.prefix.trimEnd());
      this.lists = 1;
      this.indented("> ", "> ", () => this.children(element));
      this.lists = lists;
    }

    /** @param {HTMLElement} element */
    table(element) {
      this.flush();
      const rows = [...element.querySelectorAll("tr")].map((row) =>
        [...row.children].map((cell) => oneLine(cell.textContent ?? "").replace(/\|/g, "\\|")),
      );
      const filled = rows.filter((cells) => cells.some(Boolean));
      const written = filled.map((cells) => `| ${cells.join(" | ")} |`);
      const columns = filled[0]?.length ?? 0;
      if (written.length > 1) written.splice(1, 0, `|${" --- |".repeat(columns)}`);
      if (written.length > 0) this.block(written.join("\n"));
    }
  }

  /** A table of data, not one that only lays the page out. @param {HTMLElement} table */
  function isData(table) {
    return table.querySelector("tr > * + *") !== null && table.querySelector(`:is(td, th) :is(${NESTED})`) === null;
  }

  /** @param {string} text */
  function oneLine(text) {
    return text.replace(/\s+/g, " ").trim();
  }

  /** The length of the longest run of backticks. @param {string} text */
  function longestRun(text) {
    let longest = 0;
    for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
    return longest;
  }

  /** @param {string} text */
  function ticked(text) {
    const inner = oneLine(text);
    if (!inner) return "";
    return inner.includes("`") ? `\`\` ${inner} \`\`` : `\`${inner}\``;
  }

  /** @param {Node} root */
  function pageMarkdown(root) {
    const writer = new Writer();
    writer.children(root);
    writer.flush();
    return writer.lines.join("\n").replace(/\n{3,}/g, "\n\n").trim();
  }

  Object.assign(globalThis, { sidekeepPageMarkdown: pageMarkdown });
})();
