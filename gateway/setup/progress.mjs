// What the setup says while it works: lines on standard error, so that standard output stays the command's own.
// @ts-check

const startedMs = Date.now();

/** @param {string} text */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Tells every few seconds what goes on, until `stop`.
 * @param {string} title
 * @param {number} everyMs
 */
export function openProgress(title, everyMs = 5000) {
  let detail = "";
  const line = () => say(`  [${elapsed()}] ${title}${detail === "" ? " ..." : `: ${detail}`}`);
  line();
  const timer = setInterval(line, everyMs);
  return {
    /** @param {string | undefined} text undefined: nothing new */
    set(text) {
      detail = text ?? detail;
    },
    /** @param {string} text */
    stop(text) {
      clearInterval(timer);
      say(`  [${elapsed()}] ${title}: ${text}`);
    },
  };
}

function elapsed() {
  return `${((Date.now() - startedMs) / 1000).toFixed(0).padStart(3)} s`;
}
