/** What an answer's blocks get beyond Markdown: frames and colours for code, formulas, diagrams, times that lead into a video. */

import { colourCode, frameCode, languageOf } from "./code-block.js";
import { offerDiagram } from "./diagram.js";
import { setFormulas } from "./math.js";
import { makePills } from "./time-pills.js";

/** @import { Texts } from "./i18n.js" */
/** @import { Dress } from "./markdown.js" */

/**
 * @param {Texts} texts
 * @param {{hasVideo: () => boolean, onSeek: (seconds: number) => void}} video
 * @returns {Dress}
 */
export function dressing(texts, video) {
  return {
    fresh(nodes) {
      for (const pre of codeIn(nodes)) frameCode(pre, texts);
    },
    settled(nodes) {
      for (const node of nodes) {
        if (!(node instanceof HTMLElement)) continue;
        soon(() => setFormulas(node));
        if (video.hasVideo()) makePills(node, texts, video.onSeek);
      }
      for (const pre of codeIn(nodes)) {
        if (languageOf(pre) === "mermaid") offerDiagram(pre, texts);
        else soon(() => colourCode(pre));
      }
    },
  };
}

/**
 * The pieces of code among the nodes and below them.
 * @param {ChildNode[]} nodes
 * @returns {HTMLPreElement[]}
 */
function codeIn(nodes) {
  return nodes.flatMap((node) => {
    if (!(node instanceof Element)) return [];
    return node instanceof HTMLPreElement ? [node] : [...node.querySelectorAll("pre")];
  });
}

/**
 * In a task of its own: a long chat has hundreds of blocks, and what a person types comes in between.
 * @param {() => Promise<void>} work
 */
function soon(work) {
  setTimeout(() => void work());
}
