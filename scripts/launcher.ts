// Compiles the launcher that confines commands by Landlock (native/confine), and finds out which sources a compiled one is of.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export type Processor = 'x64' | 'arm64'

export const BUILD_FOLDER = path.resolve(import.meta.dirname, '../native/build')
const COMPILE_TIMEOUT_MS = 120_000
const SOURCE = path.resolve(import.meta.dirname, '../native/confine/confine.c')
const FLAGS = ['-std=c17', '-O2', '-Wall', '-Wextra', '-Werror', '-pedantic']
/** One file that depends on no library, so that it runs on any distribution; and the same bytes for the same source. */
const LINKING = ['-static', '-s', '-Wl,--build-id=none']

/** Compilers for the processors that packages are made for, the Debian packages that they are in, and ELF's numbers. */
export const PROCESSORS: Readonly<Record<Processor, { compiler: string; install: string; machine: number }>> = {
  x64: { compiler: 'x86_64-linux-gnu-gcc', install: 'gcc-x86-64-linux-gnu libc6-dev-amd64-cross', machine: 62 },
  arm64: { compiler: 'aarch64-linux-gnu-gcc', install: 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross', machine: 183 }
}
const MACHINE_OFFSET = 18
/** The launcher reports it, so that it can be read in the file, too. */
const EMBEDDED_DIGEST = /"source":"sha256:([0-9a-f]{64})"/

/** Returns where the launcher for a processor is built, and looked for in a checkout. */
export const builtLauncher = (processor: string, folder = BUILD_FOLDER): string =>
  path.join(folder, `linux-${processor}/toolgate-confine`)

/** Returns the SHA-256 of everything that decides about a compiled launcher, apart from compiler and libraries. */
export const digestLauncherSources = (): string =>
  createHash('sha256')
    .update(JSON.stringify([FLAGS, LINKING]))
    .update(readFileSync(SOURCE))
    .digest('hex')

/** Returns the compiler for a processor: by default that of this machine, or a cross compiler. */
export const findCompiler = (processor: string): string | undefined =>
  processor === process.arch ? (process.env.CC ?? 'cc') : PROCESSORS[processor as Processor]?.compiler

/** Compiles the launcher. Throws if the compiler is missing or fails. */
export function compileLauncher(processor: string, file: string, compiler = findCompiler(processor)) {
  if (process.platform !== 'linux') throw new Error(`Landlock is a part of Linux; this is ${process.platform}.`)
  if (compiler === undefined)
    throw new Error(`The launcher is not made for ${processor}, but for ${Object.keys(PROCESSORS).join(' and ')}.`)
  mkdirSync(path.dirname(file), { recursive: true })
  const args = [...FLAGS, `-DSOURCE_DIGEST="${digestLauncherSources()}"`, ...LINKING, '-o', file, SOURCE]
  const { status, error, stderr } = spawnSync(compiler, args, { encoding: 'utf8', timeout: COMPILE_TIMEOUT_MS })
  const install = processor === process.arch ? 'gcc libc6-dev' : PROCESSORS[processor as Processor]?.install
  if (error)
    throw new Error(
      `The compiler ${compiler} cannot be started: ${error.message}. Install it: apt-get install ${install}`
    )
  if (status !== 0) throw new Error(`${compiler} failed. It needs: apt-get install ${install}\n${stderr}`)
}

/** Throws unless a compiled launcher is of the current sources and for this processor. */
export function checkLauncher(file: string, processor: Processor) {
  const build = `Build it: npx node scripts/build-launcher.ts --arch ${processor}`
  if (!existsSync(file)) throw new Error(`There is no ${file}. ${build}`)
  const program = readFileSync(file)
  const [, digest] = EMBEDDED_DIGEST.exec(program.toString('latin1')) ?? []
  if (digest !== digestLauncherSources()) throw new Error(`${file} was built from other sources. ${build}`)
  if (program.readUInt16LE(MACHINE_OFFSET) !== PROCESSORS[processor].machine)
    throw new Error(`${file} is a program for another processor than ${processor}. ${build}`)
}
