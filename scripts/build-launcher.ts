// npm run build:launcher: compiles the launcher that confines commands by Landlock, into native/build/<platform>-<processor>.
// Options: --out FILE, --cc COMPILER. It needs a C compiler and the headers of the C library and of Linux.
import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

const SOURCE = path.resolve(import.meta.dirname, '../native/confine/confine.c')
const FLAGS = ['-std=c17', '-O2', '-Wall', '-Wextra', '-Werror', '-pedantic']
/** One file that depends on no library, so that it runs on any distribution; and the same bytes for the same source. */
const LINKING = ['-static', '-s', '-Wl,--build-id=none']

const folder = path.resolve(import.meta.dirname, `../native/build/${process.platform}-${process.arch}`)
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(folder, 'toolgate-confine') },
    cc: { type: 'string', default: process.env.CC ?? 'cc' }
  }
})
if (process.platform !== 'linux') throw new Error(`Landlock is a part of Linux; this is ${process.platform}.`)
mkdirSync(path.dirname(values.out), { recursive: true })
const { status, error } = spawnSync(values.cc, [...FLAGS, ...LINKING, '-o', values.out, SOURCE], { stdio: 'inherit' })
if (error) throw new Error(`The compiler ${values.cc} cannot be started: ${error.message}. Install gcc and libc6-dev.`)
if (status !== 0) process.exit(status ?? 1)
console.log(`${path.relative(process.cwd(), values.out)}: ${statSync(values.out).size} bytes`)
