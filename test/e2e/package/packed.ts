// Fixture: the package built, packed, and installed into an empty folder, once for the test files of a process.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import type { Test } from 'tap'
import { builtLauncher, compileLauncher, type Processor } from '../../../scripts/launcher.ts'
import { LIMIT_MS, once } from '../../support/wait.ts'

interface Manifest {
  name: string
  version: string
  engines: { node: string }
  exports: Record<string, Record<string, string>>
}

interface Packed {
  tarball: string
  /** Paths of its files. */
  files: string[]
  manifest: Manifest
}

/** Runs a program to its end; rejects with its output if it fails. */
export async function run(program: string, args: string[], options: { cwd: string; env?: Record<string, string> }) {
  return execa(program, args, { ...options, timeout: 4 * LIMIT_MS })
}

let folder: string | undefined
/** Returns a folder that is removed with the process. */
export function workFolder(): string {
  if (folder === undefined) {
    const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'tg-package-')))
    process.once('exit', () => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
    folder = made
  }
  return folder
}

let packing: Promise<Packed> | undefined
/** Builds the package and packs it. */
export const pack = () => (packing ??= makeTarball())

async function makeTarball(): Promise<Packed> {
  const folder = workFolder()
  const made = path.join(folder, 'package')
  await run(process.execPath, ['scripts/package.ts', made], { cwd: process.cwd() })
  return packFolder(made)
}

async function packFolder(made: string): Promise<Packed> {
  const folder = workFolder()
  const { stdout } = await run('npm', ['pack', '--json', made, '--pack-destination', folder], { cwd: folder })
  // An object by name in newer versions of npm, a list in older ones.
  const [about] = Object.values(JSON.parse(stdout) as Record<string, { filename: string; files: { path: string }[] }>)
  return {
    tarball: path.join(folder, about!.filename),
    files: about!.files.map(file => file.path),
    manifest: JSON.parse(readFileSync(path.join(made, 'package.json'), 'utf8')) as Manifest
  }
}

/** Builds the launcher for this processor, and packs its package. */
export async function packLauncher(): Promise<Packed> {
  const [from, to] = ['launcher', 'launchers'].map(name => path.join(workFolder(), name)) as [string, string]
  const processor = process.arch as Processor
  compileLauncher(processor, builtLauncher(processor, from))
  await run(process.execPath, ['scripts/package-launchers.ts', '--arch', processor, '--from', from, to], {
    cwd: process.cwd()
  })
  return packFolder(path.join(to, `linux-${processor}`))
}

/** Packs the package with Node for a platform. */
export async function packNode(platform: string): Promise<Packed> {
  const target = path.join(workFolder(), 'nodes')
  await run(process.execPath, ['scripts/package-nodes.ts', '--platform', platform, target], { cwd: process.cwd() })
  return packFolder(path.join(target, platform))
}

let installing: Promise<string | undefined> | undefined
/** Installs the package into a project, and returns its folder; undefined if the registry is needed but unreachable. */
export const install = () => (installing ??= pack().then(({ tarball }) => makeProject('consumer', [tarball])))

/** Uses the local npm cache, and the network only for missing packages. */
const INSTALL = ['install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
const NOT_REACHED = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network/

/** Installs tarballs into a new project. */
export async function makeProject(
  name: string,
  tarballs: readonly string[],
  options: readonly string[] = []
): Promise<string | undefined> {
  const project = path.join(workFolder(), name)
  mkdirSync(project)
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  writeFileSync(path.join(project, 'consumer.ts'), CONSUMER)
  try {
    await run('npm', [...INSTALL, ...options, ...tarballs], { cwd: project, env: { npm_config_fetch_retries: '0' } })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    if (process.env.CI || !NOT_REACHED.test(stderr)) throw error
    return undefined
  }
  return project
}

/** The reason of a test that is skipped because the package could not be installed. */
export const NOT_INSTALLED = 'the registry is not reached, and not all that the package needs is kept here'

/** Starts the installed server, by another program if one is given. */
export async function serve(t: Test, folder: string, by: readonly string[] = []) {
  const [program, ...args] = [
    ...by,
    path.join(folder, 'node_modules/.bin/toolgate'),
    ...['serve', '--ready', 'json', '--exit-with-stdin']
  ] as [string, ...string[]]
  const { NODE_PATH: _, ...inherited } = process.env
  const server = spawn(program, args, { cwd: folder, env: { ...inherited, ...ownPlaces(folder) } })
  t.teardown(() => server.kill('SIGKILL'))
  const ended = text(server.stderr).then(said => Promise.reject(new Error(`serve ended: ${said}`)))
  ended.catch(() => {})
  const [ready] = await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended])
  const { url, discovery_file } = JSON.parse(ready as string) as { url: string; discovery_file: string }
  const { token } = JSON.parse(readFileSync(discovery_file, 'utf8')) as { token: string }
  return { server, url, token }
}

/** Returns variables for a home in a project, without the machine's configuration. */
export const ownPlaces = (folder: string) => ({
  HOME: path.join(folder, 'home'),
  TOOLGATE_ADMIN_CONFIG: path.join(folder, 'none')
})

/** A program that uses all exports of the package. */
const CONSUMER = `
import { connect, type Call, ToolgateError } from 'toolgate/client'
import { discover } from 'toolgate/discover'
import { defineHook } from 'toolgate/hook'
import { defineTool, type Static, Type } from 'toolgate/tool'

const input = Type.Object({ text: Type.String() })
const tool = defineTool({
  description: 'Says it louder.',
  input,
  run: ({ text }: Static<typeof input>) => text.toUpperCase()
})
const hook = defineHook({ before: ({ tool }) => (tool === 'x' ? { decision: 'refuse', reason: 'no' } : undefined) })

const { URL, TOKEN } = process.env as { URL: string; TOKEN: string }
const toolgate = connect({ url: URL, token: TOKEN, client: 'consumer' })
const call: Call = await toolgate.call('read_file', { path: 'a.txt' })
const refused = await toolgate.call('none', {}).catch((error: unknown) => error)
console.log(
  JSON.stringify({
    status: call.status,
    content: call.status === 'success' ? call.result.content : undefined,
    refused: refused instanceof ToolgateError && refused.code,
    loud: await tool.run({ text: 'hi' }, undefined as never),
    hook: typeof hook.before,
    found: (await discover({ env: { HOME: '/nowhere' }, project: '.' })) ?? 'none'
  })
)
// @ts-expect-error this is no address
export const wrong = () => connect({ url: 1, token: '' })
`
