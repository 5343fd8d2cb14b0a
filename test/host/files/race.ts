// A race against a process that swaps files of the workspace with links to the outside, as fast as it can.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../../src/errors.ts'
import { Files } from '../../../src/host/files/files.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { once } from '../../support/wait.ts'

export interface RaceCase {
  /** The swapped entry: the file `race/f`, or the folder `race/d`, with a link out. */
  swapped: 'file' | 'folder'
  does: string
  /** Creates the content of the folder, inside and outside alike, for each try. */
  needs?: (name: (what: string) => string, i: number) => void
  /** One try. Returns the content read, if any. */
  attempt(files: Files, i: number, root: string): Promise<string | undefined> | string | undefined
}

const INSIDE = 'INSIDE'
const OUTSIDE = 'CANARY'
/** Names are reused after this many tries. */
const MAX_NAMES = 1_000

const read = (files: Files, name: string) => {
  const file = files.open(name)
  try {
    return file.bytesSync().toString()
  } finally {
    file.close()
  }
}

async function write(files: Files, name: string) {
  const was = await files.snapshot(name)
  if (!was) throw new ToolError('FILE_NOT_FOUND', 'It is not there.')
  const before = was.bytes?.toString()
  await files.replace(name, was, Buffer.from(INSIDE))
  return before
}

async function copy(files: Files, from: string, to: string) {
  const file = files.open(from)
  try {
    await files.create(to, file)
  } finally {
    file.close()
  }
  return undefined
}

const file = (name: string) => writeFileSync(name, INSIDE)

export const RACE_CASES: readonly RaceCase[] = [
  { swapped: 'file', does: 'read', attempt: files => read(files, 'race/f') },
  { swapped: 'file', does: 'write', attempt: files => write(files, 'race/f') },
  { swapped: 'file', does: 'copy', attempt: (files, i) => copy(files, 'race/f', `copies/${i}`) },
  { swapped: 'folder', does: 'read', attempt: files => read(files, 'race/d/secret.txt') },
  {
    swapped: 'folder',
    does: 'list',
    attempt: files => (files.entries('race/d').some(({ name }) => name === 'outside.txt') ? OUTSIDE : INSIDE)
  },
  { swapped: 'folder', does: 'write', attempt: files => write(files, 'race/d/secret.txt') },
  {
    swapped: 'folder',
    does: 'create',
    attempt: async (files, i) => void (await files.create(`race/d/new-${i}`, Buffer.from(INSIDE)))
  },
  { swapped: 'folder', does: 'copy out', attempt: (files, i) => copy(files, 'race/d/secret.txt', `copies/${i}`) },
  { swapped: 'folder', does: 'copy in', attempt: (files, i) => copy(files, 'kept.txt', `race/d/copy-${i}`) },
  {
    swapped: 'folder',
    does: 'make folders',
    attempt: async (files, i) => void (await files.makeDirectories(`race/d/made-${i}/deeper`))
  },
  {
    swapped: 'folder',
    does: 'delete',
    needs: name => file(name('goes')),
    attempt: async (files, i) => void (await files.remove(`race/d/goes-${i}`))
  },
  {
    swapped: 'folder',
    does: 'delete a tree',
    needs(name) {
      mkdirSync(name('tree'))
      file(path.join(name('tree'), 'leaf'))
    },
    attempt: async (files, i) => void (await files.removeTree(`race/d/tree-${i}`))
  },
  {
    swapped: 'folder',
    does: 'move out',
    needs: name => file(name('moves')),
    attempt: async (files, i) => void (await files.move(`race/d/moves-${i}`, `moved/${i}`))
  },
  {
    swapped: 'folder',
    does: 'change together',
    needs(name) {
      file(name('goes'))
      file(name('moves'))
    },
    attempt: (files, i) => runTogether(files, i)
  }
]

async function runTogether(files: Files, i: number) {
  const was = await files.snapshot(`race/d/moves-${i}`)
  if (!was) throw new ToolError('FILE_NOT_FOUND', 'It is not there.')
  await files.runTransaction([
    { do: 'write', path: `race/d/new-${i}`, content: Buffer.from(INSIDE) },
    { do: 'write', path: `copies/${i}`, content: Buffer.from(INSIDE) },
    { do: 'link', path: `race/d/link-${i}`, target: 'secret.txt' },
    { do: 'folder', path: `race/d/made-${i}` },
    { do: 'remove', path: `race/d/goes-${i}` },
    { do: 'move', path: `race/d/moves-${i}`, to: `moved/${i}`, was }
  ])
  return was.bytes?.toString()
}

export interface RaceResult {
  heat: string
  swaps: number
  done: number
  refused: number
  /** Content read from outside. */
  leaked: string[]
  /** Names outside that have changed. */
  touched: string[]
  /** Files inside that contain outside content. */
  holding: string[]
}

/** Repeats tries until the minimum numbers of swaps and tries are reached, with both kinds of outcome. */
export async function runRace(
  { swapped, does, needs, attempt }: RaceCase,
  least: { swaps: number; tries: number }
): Promise<RaceResult> {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'race-')))
  const [root, outside, stateDir] = ['ws', 'out', 'state'].map(name => path.join(top, name)) as [string, string, string]
  const inside = path.join(root, 'race/d')
  for (const folder of [inside, outside, stateDir, path.join(root, 'copies'), path.join(root, 'moved')])
    mkdirSync(folder, { recursive: true })
  for (const name of ['kept.txt', 'race/f', 'race/d/secret.txt']) file(path.join(root, name))
  for (const name of ['secret.txt', 'outside.txt']) writeFileSync(path.join(outside, name), OUTSIDE)
  for (let i = 0; needs && i < MAX_NAMES; i++)
    for (const at of [inside, outside]) needs(what => path.join(at, `${what}-${i}`), i)
  symlinkSync(path.join(outside, 'secret.txt'), path.join(root, 'race/l'))
  symlinkSync(outside, path.join(root, 'race/dl'))
  const before = snapshotFolder(outside)
  const workspace = openWorkspace('w', root)
  const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }

  const result = { heat: `${swapped}: ${does}`, swaps: 0, done: 0, refused: 0, leaked: [] as string[] }
  const names = swapped === 'file' ? ['race/f', 'race/l'] : ['race/d', 'race/dl']
  const swapper = spawn(process.execPath, [
    path.join(import.meta.dirname, '../swap-paths.mjs'),
    ...names.map(name => path.join(root, name))
  ])
  try {
    await once(swapper.stdout, 'data')
    swapper.stdout.on('data', dots => {
      result.swaps += 1_000 * dots.length
    })
    const enough = () =>
      result.swaps >= least.swaps &&
      result.done + result.refused >= least.tries &&
      result.done > 0 &&
      result.refused > 0
    for (let i = 0; !enough(); i++) {
      if (swapper.exitCode !== null) throw new Error(`the other side ended with ${swapper.exitCode}`)
      try {
        const seen = await attempt(new Files(workspace, { stateDir, sensitive: [] }, effects), i % MAX_NAMES, root)
        if (seen !== undefined && seen !== INSIDE) result.leaked.push(seen)
        result.done++
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        result.refused++
      }
      await setImmediate()
    }
  } finally {
    const closed = once(swapper, 'close')
    if (swapper.kill('SIGKILL')) await closed
  }
  const after = snapshotFolder(outside)
  const touched = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    name => before[name] !== after[name]
  )
  const holding = Object.entries(snapshotFolder(root)).flatMap(([name, what]) => (what.includes(OUTSIDE) ? [name] : []))
  rmSync(top, { recursive: true })
  return { ...result, touched, holding }
}
