/**
 * The captions of the page's video, as lines `[mm:ss] text`, for extract.js. Only of text tracks that the page itself has: a track that is
 * not shown is loaded for this, and then as it was before.
 */
(() => {
  const PATIENCE_MS = 3_000;
  const scope = /** @type {{sidekeepCaptions: () => Promise<string>}} */ (/** @type {unknown} */ (globalThis));

  scope.sidekeepCaptions = async () => {
    const tracks = [...document.querySelectorAll("video")].flatMap((video) => [...video.textTracks]).filter(({ kind }) => kind === "captions" || kind === "subtitles");
    const track = tracks.find(({ mode }) => mode === "showing") ?? tracks[0];
    if (!track) return "";
    const cues = await cuesOf(track);
    return cues.map((cue) => `[${time(cue.startTime)}] ${textOf(cue)}`).join("\n");
  };

  /**
   * @param {TextTrack} track
   * @returns {Promise<TextTrackCue[]>}
   */
  async function cuesOf(track) {
    const before = track.mode;
    if (before === "disabled") track.mode = "hidden"; // loads it, and shows nothing
    const element = [...document.querySelectorAll("track")].find((known) => known.track === track);
    // Cues come one by one while the file is read; a track that a script made has no element, and what it has is there.
    const isRead = () => !element || element.readyState >= HTMLTrackElement.LOADED;
    const until = Date.now() + PATIENCE_MS;
    while (!isRead() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    const cues = [...(track.cues ?? [])];
    track.mode = before;
    return cues;
  }

  /** @param {TextTrackCue} cue */
  function textOf(cue) {
    const { text } = /** @type {VTTCue} */ (cue);
    return text.replace(/<[^<>]*>/g, "").replace(/\s+/g, " ").trim();
  }

  /** @param {number} seconds */
  function time(seconds) {
    const whole = Math.floor(seconds);
    const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
    return whole >= 3600 ? `${Math.floor(whole / 3600)}:${parts.join(":")}` : parts.join(":");
  }
})();
