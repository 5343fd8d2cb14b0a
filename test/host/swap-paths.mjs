// Swaps two names repeatedly until stopped, like a program that races our reads. Prints `ready`, and a dot for every thousand
// swaps. It pauses now and then, in either state, so that slow operations succeed too: briefly, and with each thousand swaps
// also twice as long as with the thousand before, up to a second, for a machine whose disk is busy.
import { renameSync, rmSync } from 'node:fs'

const BURST = 25
const REST_MS = 2
const MAX_DOUBLINGS = 9
const bell = new Int32Array(new SharedArrayBuffer(4))

const [a, b] = process.argv.slice(2)
process.stdout.write('ready')
for (let done = 1; ; done++) {
  renameSync(a, `${a}.aside`)
  replace(b, a)
  renameSync(`${a}.aside`, b)
  if (done % BURST === 0) Atomics.wait(bell, 0, 0, restAfter(done))
  if (done % 1_000 === 0) process.stdout.write('.')
}

/** Returns the milliseconds of a pause. The last two of each thousand are the long ones: one in each state. */
function restAfter(done) {
  const thousands = Math.ceil(done / 1_000)
  return done > thousands * 1_000 - 2 * BURST ? REST_MS * 2 ** (thousands % (MAX_DOUBLINGS + 1)) : REST_MS
}

// Another process may have created a folder with the name that was free for a moment, and may be adding files.
function replace(from, to) {
  for (;;) {
    try {
      return renameSync(from, to)
    } catch {
      attempt(() => rmSync(to, { recursive: true, force: true }))
    }
  }
}

function attempt(work) {
  try {
    work()
  } catch {
    // The next round tries again.
  }
}
