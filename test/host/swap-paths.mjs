// Exchanges two names over and over until it is stopped: what a program that races our reads would do. Says `ready`, and
// a dot for every thousand. It rests now and then, in either state, so that what takes its time gets through too.
import { renameSync, rmSync } from 'node:fs'

const BURST = 25
const REST_MS = 2
const bell = new Int32Array(new SharedArrayBuffer(4))

const [a, b] = process.argv.slice(2)
process.stdout.write('ready')
for (let done = 1; ; done++) {
  renameSync(a, `${a}.aside`)
  replace(b, a)
  renameSync(`${a}.aside`, b)
  if (done % BURST === 0) Atomics.wait(bell, 0, 0, REST_MS)
  if (done % 1_000 === 0) process.stdout.write('.')
}

// Somebody may have made a folder of the name that was free for a moment, and may be putting something in it.
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
