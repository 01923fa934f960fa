/**
 * The texts of the panel and the options page, from `_locales/<language>/messages.json`. `chrome.i18n` follows the browser's language
 * only and knows no plurals; it serves the manifest. `{name}` in a message is replaced; a plural has one message a form, `key_one`,
 * `key_other`, chosen by the language's own rules.
 */

/** @typedef {Record<string, {message: string}>} Catalogue */
/** @typedef {Record<string, string | number>} Values */

/** Each by its folder's name, with what its speakers call it. */
export const LANGUAGE_NAMES = Object.freeze({ en: "English", es: "Español", ru: "Русский", zh_CN: "简体中文" });
export const LANGUAGES = Object.freeze(Object.keys(LANGUAGE_NAMES));
const FALLBACK = "en";
const SIZE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

export class Texts {
  /**
   * @param {string} language
   * @param {Catalogue} catalogue
   * @param {Catalogue} [fallback] used where the language lacks a message
   */
  constructor(language, catalogue, fallback = {}) {
    this.language = language;
    this.catalogue = catalogue;
    this.fallback = fallback;
    this.rules = new Intl.PluralRules(language);
    this.numbers = new Intl.NumberFormat(language);
  }

  /** @param {string} key */
  has(key) {
    return key in this.catalogue || key in this.fallback;
  }

  /**
   * @param {string} key
   * @param {Values} [values]
   * @returns {string} the key itself if there is no such message: seen at once, and found by the tests
   */
  t(key, values = {}) {
    const message = (this.catalogue[key] ?? this.fallback[key])?.message ?? key;
    return message.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
  }

  /**
   * @param {string} key
   * @param {number} count in the message as `{count}`
   * @param {Values} [values]
   */
  plural(key, count, values = {}) {
    const form = `${key}_${this.rules.select(count)}`;
    return this.t(this.has(form) ? form : `${key}_other`, { count: this.number(count), ...values });
  }

  /** @param {number} value */
  number(value) {
    return this.numbers.format(value);
  }

  /** A size in the unit that suits it. @param {number} bytes */
  bytes(bytes) {
    let size = bytes;
    let step = 0;
    for (; size >= 999.95 && step < SIZE_UNITS.length - 1; step += 1) size /= 1000;
    // Only the long form of a byte has a plural.
    const unitDisplay = step === 0 ? "long" : "short";
    return new Intl.NumberFormat(this.language, { style: "unit", unit: SIZE_UNITS[step], unitDisplay, maximumFractionDigits: 1 }).format(size);
  }

  /** The time alone where it was today. @param {number} atMs @param {number} nowMs */
  shortDate(atMs, nowMs) {
    const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
    return new Intl.DateTimeFormat(this.language, isToday ? { timeStyle: "short" } : { dateStyle: "medium" }).format(atMs);
  }

  /** @param {number} atMs */
  date(atMs) {
    return new Intl.DateTimeFormat(this.language, { dateStyle: "medium", timeStyle: "short" }).format(atMs);
  }
}

/**
 * @param {string} chosen a language of LANGUAGES, or "" for the browser's
 * @param {(path: string) => Promise<Catalogue>} load
 * @returns {Promise<Texts>}
 */
export async function loadTexts(chosen, load) {
  const language = pickLanguage(chosen ? [chosen] : navigator.languages);
  const fallback = await load(`_locales/${FALLBACK}/messages.json`);
  const catalogue = language === FALLBACK ? fallback : await load(`_locales/${language}/messages.json`);
  return new Texts(language.replace("_", "-"), catalogue, fallback);
}

/**
 * @param {readonly string[]} wanted language tags, best first
 * @returns {string} the folder's name
 */
export function pickLanguage(wanted) {
  for (const tag of wanted) {
    const name = tag.replace("-", "_");
    const found = LANGUAGES.find((known) => known === name) ?? LANGUAGES.find((known) => known.split("_")[0] === name.split("_")[0]);
    if (found) return found;
  }
  return FALLBACK;
}

/**
 * Put texts into a page: `data-i18n` names the text of an element, `data-i18n-attributes` attributes as `title:key, aria-label:key`.
 * @param {ParentNode} root
 * @param {Texts} texts
 */
export function translatePage(root, texts) {
  for (const element of root.querySelectorAll("[data-i18n]")) {
    element.textContent = texts.t(element.getAttribute("data-i18n") ?? "");
  }
  for (const element of root.querySelectorAll("[data-i18n-attributes]")) {
    for (const pair of (element.getAttribute("data-i18n-attributes") ?? "").split(",")) {
      const [name = "", key = ""] = pair.split(":").map((half) => half.trim());
      element.setAttribute(name, texts.t(key));
    }
  }
}
