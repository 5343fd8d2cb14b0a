// npx node scripts/build-launcher.ts: compiles the launcher that confines commands by Landlock, into native/build/linux-<processor>.
// Options: --arch x64|arm64, --out FILE, --cc COMPILER. It needs a C compiler and the headers of the C library and of Linux; for
// another processor than this one, a cross compiler.
import { statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { builtLauncher, compileLauncher } from './launcher.ts'

const { values } = parseArgs({
  options: { arch: { type: 'string', default: process.arch }, out: { type: 'string' }, cc: { type: 'string' } }
})
const { arch, out = builtLauncher(arch), cc } = values
compileLauncher(arch, out, cc)
console.log(`${path.relative(process.cwd(), out)}: ${statSync(out).size} bytes`)
