/** Work that many events ask for is done once, with the next frame. */

/** A page that is not on screen gets no frames: so much later the work is done all the same. */
const WITHOUT_FRAME_MS = 200;

/**
 * @param {() => void} work
 * @returns {() => void} asks for it
 */
export function onceAFrame(work) {
  let frame = 0;
  let timer = 0;
  const run = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = timer = 0;
    work();
  };
  return () => {
    frame ||= requestAnimationFrame(run);
    timer ||= window.setTimeout(run, WITHOUT_FRAME_MS);
  };
}
