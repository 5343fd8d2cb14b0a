// A change of several files that happens whole or not at all, also over a kill. First all is prepared where nobody sees
// it: new contents under hidden names, what goes kept. Then the motions are written down, and made. If one fails, those
// before it are taken back.
import { closeSync, constants, openSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ToolError } from '../../../errors.ts'
import type { Workspace } from '../../host.ts'
import { allOf, fsync } from '../atomic-write.ts'
import { explain } from '../errno.ts'
import { walkToEntry } from '../paths.ts'
import { dropHidden, type Motion, perform, takeBack } from './file-operations.ts'
import { planOf } from './plan.ts'
import { type Part, prepare, type Site } from './prepare.ts'
import { HiddenFiles } from './staged-files.ts'
import type { Step } from './transaction-step.ts'

/** So many motions are made before others get their turn. */
const MOTIONS_AT_ONCE = 256
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

export async function together(site: Site, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0) return
  const { effects, workspace } = site
  const { log, call } = site.keeping
  const hidden = new HiddenFiles(workspace, log, effects.signal)
  try {
    const parts = await prepare(site, planOf(site, steps), hidden)
    const motions = parts.map(({ motion }) => motion)
    const changes = parts.flatMap(({ change }) => change ?? [])
    const committed = effects.committed()
    committed.catch(() => {})
    const number = await log.group({ call, root: workspace.root, motions, changes })
    let made = 0
    try {
      await committed
      effects.signal.throwIfAborted()
      for (const part of parts) {
        make(workspace, part)
        made += 1
        if (made % MOTIONS_AT_ONCE === 0) await setImmediate()
      }
      await syncFolders(workspace, motions)
      await log.ended(number)
    } catch (error) {
      const stuck = takeBack(workspace, motions.slice(0, made))
      if (stuck.length > 0) throw notTakenBack(error, stuck)
      log.undone(number)
      throw error
    }
    hidden.shown()
    dropHidden(workspace, motions)
    for (const change of changes) effects.changed(change)
  } finally {
    hidden.end()
  }
}

function make(workspace: Workspace, { motion, was }: Part) {
  try {
    perform(workspace, motion, was)
  } catch (error) {
    throw explain(error, motion.path)
  }
}

/** Makes durable what names have changed. */
async function syncFolders(workspace: Workspace, motions: readonly Motion[]) {
  const folders = new Set(
    motions.flatMap(motion => ('hidden' in motion ? [motion.path, motion.hidden] : [motion.path])).map(path.dirname)
  )
  await allOf(...[...folders].map(folder => syncFolder(workspace, folder)))
}

async function syncFolder(workspace: Workspace, folder: string) {
  const place = walkToEntry(workspace, folder)
  try {
    if (!place.stat?.isDirectory()) return
    const fd = openSync(place.door, FOLDER | workspace.doors.noLinks)
    await fsync(fd).finally(() => closeSync(fd))
  } catch (error) {
    throw explain(error, folder)
  } finally {
    place.close()
  }
}

/** What is there then waits for the next start, which tries again. */
const notTakenBack = (error: unknown, paths: string[]) =>
  new ToolError(
    'EXECUTION_ERROR',
    `${error instanceof Error ? error.message : error} What was done before could not be taken back everywhere.`,
    { paths },
    { cause: error }
  )
