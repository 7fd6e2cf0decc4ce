/** Lets only those answers pass that were asked for after the last one that passed, because a slow answer is out of date. */
export function inOrder(): { ask(): () => boolean } {
  let asked = 0;
  let passed = 0;
  return {
    ask() {
      asked += 1;
      const own = asked;
      return () => {
        if (own < passed) return false;
        passed = own;
        return true;
      };
    },
  };
}
