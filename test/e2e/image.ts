// Builds an image from a Dockerfile without a container engine: each stage in a folder used as its root, by an unprivileged user.
// The base image is this machine; its system packages are taken as given.
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import { run } from '../support/wait.ts'
import { parseStages, type Stage } from './dockerfile.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
/** The user who builds and runs: never root. */
export const user = isRoot ? { uid: NOBODY, gid: NOBODY } : { uid: process.getuid!(), gid: process.getgid!() }
/** The same as an option for starting processes, if it is another user than this one. */
export const asUser = isRoot ? user : {}

export const stages = parseStages(readFileSync('Dockerfile', 'utf8'))
export const image = stages.at(-1)!

/** Builds every stage under the folder, and returns the root of the image. */
export async function buildImage(t: Test, folder: string): Promise<string> {
  const context = path.join(folder, 'context')
  copyContext(context)
  for (const stage of stages) await buildStage(t, stage, { folder, context })
  return stageRoot(folder, image)
}

/** Changes the owner to the unprivileged user. */
export function giveToUser(place: string) {
  if (isRoot) execaSync('chown', ['-R', `${user.uid}:${user.gid}`, place])
}

/** Returns why the image cannot be built here; undefined if it can. */
export async function getSkipReason(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the image is of Linux'
  const reached = await fetch(`${await getRegistryUrl()}fastify`, { method: 'HEAD' }).catch(() => undefined)
  if (!reached) return 'the registry that packages come from is not reached'
  return run(process.execPath, ['--version'], asUser).then(
    () => undefined,
    () => `the user ${user.uid} may not run ${process.execPath}`
  )
}

const getRegistryUrl = () => run('npm', ['config', 'get', 'registry']).then(({ stdout }) => stdout.trim())

/** Copies the files included by `.dockerignore`, which is an allowlist. */
function copyContext(context: string) {
  const [all, ...wanted] = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  if (all !== '*' || wanted.some(line => !line.startsWith('!')))
    throw new Error('.dockerignore must name what is wanted')
  for (const name of wanted.map(line => line.slice(1))) cpSync(name, path.join(context, name), { recursive: true })
}

interface BuildPaths {
  folder: string
  context: string
}

const stageRoot = (folder: string, { name }: Stage) => path.join(folder, `stage-${name ?? 'image'}`)

/** Maps absolute paths of the image to the folder used as its root. */
export const rebasePaths = (root: string, text: string) =>
  text.replaceAll(/(?<![\w./:])\/(?=(?:app|build|modules|run|state|usr|workspace)\b)/g, `${root}/`)

async function buildStage(t: Test, stage: Stage, place: BuildPaths) {
  const root = stageRoot(place.folder, stage)
  for (const folder of ['home', 'usr/local/bin']) mkdirSync(path.join(root, folder), { recursive: true })
  let cwd = root
  for (const { op, text } of stage.instructions) {
    if (op === 'WORKDIR') cwd = path.join(root, text)
    mkdirSync(cwd, { recursive: true })
    if (op === 'COPY') copy(text, cwd, place)
    if (op !== 'RUN') continue
    giveToUser(place.folder)
    await (EQUIVALENTS[text] ?? shell)(t, { command: text, root, cwd })
  }
}

function copy(text: string, cwd: string, { folder, context }: BuildPaths) {
  const [, name, paths] = /^(?:--from=(\w+) )?(.+)$/.exec(text)!
  const from = name === undefined ? context : stageRoot(folder, stages.find(stage => stage.name === name)!)
  const words = paths!.split(/ +/)
  const last = words.pop()!
  const to = path.resolve(cwd, last)
  // A file keeps its name in a folder; a folder is copied without its own.
  const isFolder = last.endsWith('/') || to === cwd
  for (const word of words) {
    const source = path.join(from, word)
    const keepsName = isFolder && statSync(source).isFile()
    cpSync(source, keepsName ? path.join(to, path.basename(word)) : to, { recursive: true, verbatimSymlinks: true })
  }
}

interface RunStep {
  command: string
  root: string
  cwd: string
}

async function shell(_t: Test, { command, root, cwd }: RunStep) {
  const here = rebasePaths(root, command).replaceAll('node:node', `${user.uid}:${user.gid}`)
  const home = path.join(root, 'home')
  const env = {
    // Access to the registry depends on the machine.
    ...process.env,
    PATH: [path.dirname(process.execPath), process.env.PATH].join(':'),
    HOME: home,
    npm_config_registry: await getRegistryUrl(),
    npm_config_cache: path.join(home, '.npm'),
    npm_config_userconfig: path.join(home, '.npmrc'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false'
  }
  await run('sh', ['-ec', here], { cwd, env, ...asUser })
}

const isSkipped =
  (why: string) =>
  async (t: Test, { command }: RunStep) => {
    t.comment(`not run, ${why}: ${command}`)
  }

/** Commands that are replaced. */
const UNREADABLE_NODE = image.instructions.find(({ text }) => text.startsWith('install '))!.text

const EQUIVALENTS: Record<string, (t: Test, step: RunStep) => Promise<void>> = {
  // Made by root in the image, too.
  [UNREADABLE_NODE]: async (_t, { root }) => {
    const program = path.join(root, 'usr/local/lib/toolgate/node')
    mkdirSync(path.dirname(program), { recursive: true })
    cpSync(process.execPath, program)
    if (isRoot) chownSync(program, 0, 0)
    chmodSync(program, 0o711)
  },
  // The development packages are installed already.
  'npm ci --ignore-scripts': async (_t, { cwd }) =>
    symlinkSync(path.resolve('node_modules'), path.join(cwd, 'node_modules')),
  ...Object.fromEntries(
    stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ text }) => text.startsWith('apt-get'))
      .map(({ text }) => [text, isSkipped("the system's packages are taken as given")])
  )
}
