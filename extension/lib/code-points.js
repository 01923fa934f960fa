/** Counting as the host counts: offsets and `chars` on the wire are code points, JavaScript's lengths are not. */

/**
 * @param {string} text
 * @returns {number}
 */
export function countCodePoints(text) {
  let pairs = 0;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (isPair(text, index)) {
      pairs += 1;
      index += 1;
    }
  }
  return text.length - pairs;
}

/**
 * @param {string} text
 * @param {number} count
 * @returns {string} the text without its first `count` code points
 */
export function dropCodePoints(text, count) {
  let index = 0;
  for (let dropped = 0; dropped < count && index < text.length; dropped += 1) index += isPair(text, index) ? 2 : 1;
  return text.slice(index);
}

/**
 * @param {string} text
 * @param {number} index
 */
function isPair(text, index) {
  const high = text.charCodeAt(index);
  const low = text.charCodeAt(index + 1);
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}
