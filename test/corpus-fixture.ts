// Creates the folders of one attack case on disk: see `setup_ops` in corpus/paths.json.
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'

export interface SetupStep {
  mkdir?: string
  mkdir_p_of?: string
  write?: string
  data?: string
  if_absent?: boolean
  symlink?: string
  hardlink?: string
  to?: string
  fifo?: string
  unix_socket?: string
  mknod?: string
  type?: string
  major?: number
  minor?: number
  sparse?: string
  size?: number
  chmod?: string
  mode?: string
  git_init?: string
  write_bytes_name_b64?: string
  in?: string
}

export interface CorpusPaths {
  T: string
  WS: string
  OUT: string
  STATE: string
}

/** Creates a fresh folder and the values of the names in the cases; the state folder is beside the workspace, or in it. */
export function createCorpusFolder(t: Test, state: 'beside' | 'inside'): CorpusPaths {
  const T = realpathSync(mkdtempSync(path.join(tmpdir(), 'corpus-')))
  t.teardown(() => rmSync(T, { recursive: true, force: true }))
  const WS = path.join(T, 'ws')
  return { T, WS, OUT: path.join(T, 'out'), STATE: path.join(state === 'beside' ? T : WS, 'state') }
}

/** Substitutes the names in all texts of a value. */
export function substitute<T>(value: T, names: CorpusPaths): T {
  if (typeof value === 'string') {
    const text = Object.entries(names).reduce((all, [name, is]) => all.replaceAll(`{{${name}}}`, is), value as string)
    return text as T
  }
  if (Array.isArray(value)) return value.map(item => substitute(item, names)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, names)])) as T
}

/** Executes a setup step; returns false if this machine does not permit it. */
export async function runSetupStep(t: Test, step: SetupStep): Promise<boolean> {
  const did = Object.entries(SETUP_STEPS).find(([name]) => name in step)
  if (!did) throw new Error(`no step is known as ${JSON.stringify(step)}`)
  const [name, work] = did
  const at = (step as Record<string, string>)[name]!
  mkdirSync(path.dirname(at), { recursive: true })
  return (await work(at, step, t)) !== false
}

const SETUP_STEPS: Record<string, (at: string, step: SetupStep, t: Test) => unknown> = {
  mkdir: at => void mkdirSync(at, { recursive: true }),
  mkdir_p_of: () => {},
  write: (at, { data = '', if_absent }) => (if_absent && existsSync(at) ? undefined : writeFileSync(at, data)),
  // Some cases replace a file by a link after the call was approved.
  symlink(at, { to = '' }) {
    rmSync(at, { force: true })
    symlinkSync(to, at)
  },
  hardlink: (at, { to = '' }) => linkSync(to, at),
  fifo: at => void execaSync('mkfifo', [at]),
  async unix_socket(at, _step, t) {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(at, resolve))
    t.teardown(() => server.close())
  },
  mknod(at, { type = 'c', major, minor }) {
    return !execaSync('mknod', [at, type, String(major), String(minor)], { reject: false }).failed
  },
  sparse(at, { size = 0 }) {
    writeFileSync(at, '')
    truncateSync(at, size)
  },
  chmod: (at, { mode = '644' }) => chmodSync(at, Number.parseInt(mode, 8)),
  git_init(at) {
    for (const folder of ['hooks', 'objects', 'refs/heads'])
      mkdirSync(path.join(at, '.git', folder), { recursive: true })
    writeFileSync(path.join(at, '.git/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(path.join(at, '.git/config'), '[core]\n\trepositoryformatversion = 0\n')
  },
  write_bytes_name_b64: (name, { in: folder = '', data = '' }) =>
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'base64')]), data)
}
