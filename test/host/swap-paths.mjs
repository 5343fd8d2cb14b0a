// Exchanges two names over and over until it is stopped: what a program that races our reads would do.
import { renameSync } from 'node:fs'

const [a, b] = process.argv.slice(2)
process.stdout.write('ready')
for (;;) {
  renameSync(a, `${a}.aside`)
  renameSync(b, a)
  renameSync(`${a}.aside`, b)
}
