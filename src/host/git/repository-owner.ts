// Leaves to the owner of a repository what git has made in it for a server that runs as root: else its owner could not change that.
import { closeSync, constants, fchownSync, fstatSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../files/errno.ts'

/** The folders of a repository in which git writes. */
interface GitFolders {
  git_dir: string
  common_dir: string
}

interface Gift {
  owner: Stats
  /** Only what was made later is given away; in milliseconds. */
  start: number
}

const ROOT = 0
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const ENTRY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** File systems store times with a granularity of some milliseconds. */
const GRANULARITY_MS = 50
/** Folders of loose objects. Only those in which something was made are looked into. */
const OBJECTS = /^(?:[0-9a-f]{2}|pack|info)$/
/** Folders in which git makes files, whole trees of them. */
const TREES = ['refs', 'logs', 'worktrees', 'rebase-merge', 'rebase-apply', 'sequencer']

/** Gives what root has made in git's folders since git was started, in milliseconds, to the owner of these. */
export function giveToOwner({ git_dir, common_dir }: GitFolders, since: number) {
  const start = since - GRANULARITY_MS
  if (process.geteuid?.() !== ROOT) return
  for (const folder of new Set([git_dir, common_dir]))
    withFolder(folder, (fd, owner) => giveGitFolder(fd, { owner, start }))
}

/** Gives a file that root has made since then to the owner of the folder that it lies in. */
export function giveFileToOwner(file: string, since: number) {
  const start = since - GRANULARITY_MS
  if (process.geteuid?.() !== ROOT) return
  withFolder(path.dirname(file), (fd, owner) =>
    giveEntry(`/proc/self/fd/${fd}/${path.basename(file)}`, { owner, start })
  )
}

function giveGitFolder(fd: number, gift: Gift) {
  if (gift.owner.uid === ROOT) return
  for (const entry of readdirSync(at(fd), { withFileTypes: true })) {
    const name = `${at(fd)}/${entry.name}`
    if (entry.isFile()) giveEntry(name, gift)
    else if (TREES.includes(entry.name)) giveTree(name, gift)
    else if (entry.name === 'objects') giveObjects(name, gift)
  }
}

function giveObjects(objects: string, gift: Gift) {
  withFolder(objects, fd => {
    for (const name of readdirSync(at(fd))) {
      const folder = `${at(fd)}/${name}`
      if (!OBJECTS.test(name) || lstatSync(folder).mtimeMs < gift.start) continue
      giveTree(folder, gift)
    }
  })
}

function giveTree(folder: string, gift: Gift) {
  giveEntry(folder, gift)
  withFolder(folder, fd => {
    for (const entry of readdirSync(at(fd), { withFileTypes: true })) {
      const name = `${at(fd)}/${entry.name}`
      if (entry.isDirectory()) giveTree(name, gift)
      else if (entry.isFile()) giveEntry(name, gift)
    }
  })
}

/**
 * Only what is open is given away: its name may lead elsewhere at any moment. What is older, or has a second name, may be root's own
 * and have been moved or linked there.
 */
function giveEntry(name: string, { owner, start }: Gift) {
  ignoreGone(() => {
    if (lstatSync(name).uid !== ROOT) return
    const fd = openSync(name, ENTRY)
    try {
      const stat = fstatSync(fd)
      const isSingle = stat.isDirectory() || (stat.isFile() && stat.nlink === 1)
      if (isSingle && stat.uid === ROOT && stat.birthtimeMs >= start) fchownSync(fd, owner.uid, owner.gid)
    } finally {
      closeSync(fd)
    }
  })
}

function withFolder(folder: string, work: (fd: number, stat: Stats) => void) {
  ignoreGone(() => {
    const fd = openSync(folder, FOLDER)
    try {
      work(fd, fstatSync(fd))
    } finally {
      closeSync(fd)
    }
  })
}

/** Leaves as it is what is gone, replaced by a link, or on a file system without owners. */
function ignoreGone(work: () => void) {
  try {
    work()
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
  }
}

const at = (fd: number) => `/proc/self/fd/${fd}`
