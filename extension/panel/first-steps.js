/** What the buttons of the empty chat do: ask about the page, look for servers on this computer, use one of them. */

import { storedProviders } from "../lib/settings.js";

/** @import { Panel } from "./panel.js" */
/** @import { WelcomeEvents } from "./welcome.js" */

/**
 * @param {Panel} panel
 * @param {() => Promise<void>} readSettings anew
 * @returns {WelcomeEvents}
 */
export function firstSteps(panel, readSettings) {
  const { host } = panel;
  return {
    onSummarise: async () => {
      await panel.attaching.page();
      if (panel.conversation.waiting.length > 0) await panel.asking.send(panel.texts.t("promptText_summarise"));
    },
    detect: async () => {
      try {
        return (await host.request("providers.detect")).found;
      } catch (error) {
        panel.complain(error);
        return [];
      }
    },
    onUse: async ({ name, models }, model) => {
      try {
        const stored = await storedProviders(host);
        await host.request("storage.set", { items: { providers: { ...stored, [name]: { ...stored[name], model, models } }, activeProvider: name, activeModel: "" } });
        await readSettings();
        panel.composer.focus();
      } catch (error) {
        panel.complain(error);
      }
    },
  };
}
