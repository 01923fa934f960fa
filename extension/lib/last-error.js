/** `chrome.runtime.lastError` as a callback sees it: there while the callback runs, and complained about if it never looked. */

/**
 * @param {object} runtime chrome.runtime
 * @param {string} message
 * @param {() => void} callback
 */
export function withLastError(runtime, message, callback) {
  const before = Object.getOwnPropertyDescriptor(runtime, "lastError");
  const error = { message };
  let seen = false;
  const get = () => {
    seen = true;
    return error;
  };
  Object.defineProperty(runtime, "lastError", { get, enumerable: true, configurable: true });
  try {
    callback();
  } finally {
    if (before) Object.defineProperty(runtime, "lastError", before);
    else Reflect.deleteProperty(runtime, "lastError");
    if (!seen) console.error(`Unchecked runtime.lastError: ${message}`);
  }
}
