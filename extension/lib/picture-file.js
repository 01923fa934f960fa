/** Pictures that a person pastes or drops, as data URLs of a kind that models take. */

/** What model servers take as it is. */
const TAKEN = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/**
 * @param {Blob} blob a picture of any kind that the browser can draw
 * @returns {Promise<string>} the file itself where models take its kind, else drawn anew as PNG
 * @throws {DOMException} if it is no picture
 */
export async function pictureUrl(blob) {
  const bitmap = await createImageBitmap(blob);
  if (!TAKEN.has(blob.type)) return drawn(bitmap, { x: 0, y: 0, width: bitmap.width, height: bitmap.height });
  bitmap.close();
  return dataUrl(blob);
}

/**
 * A part of a picture.
 * @param {CanvasImageSource} picture
 * @param {{x: number, y: number, width: number, height: number}} part in the picture's own pixels
 * @returns {string} PNG, as a data URL
 */
export function drawn(picture, { x, y, width, height }) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  canvas.getContext("2d")?.drawImage(picture, x, y, width, height, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
export function dataUrl(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}
