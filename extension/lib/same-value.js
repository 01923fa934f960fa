/** Whether two JSON values are the same: deep and exact, the order of an object's members aside. */

/**
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
export function sameValue(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && sameValue(one[name], other[name]));
}
