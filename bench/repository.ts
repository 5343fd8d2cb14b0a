// A repository with a long history, created once and cached for later runs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'

const FILES = 2_000
const FILES_PER_FOLDER = 50
/** Increment whenever the generated repository changes. */
const REPOSITORY_VERSION = 1
const FIRST_COMMIT_TIME = 1_700_000_000

/** Returns the repository's folder. */
export function prepareRepository(commits: number): string {
  const home = path.join(tmpdir(), `toolgate-bench-repository-${REPOSITORY_VERSION}-${commits}`)
  const root = path.join(home, 'repository')
  const stamp = path.join(home, 'complete')
  if (isComplete(root, stamp)) return root
  rmSync(home, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  const git = (args: readonly string[], input = '') => execaSync('git', args, { cwd: root, input, stdout: 'ignore' })
  git(['init', '-q', '-b', 'main'])
  git(['fast-import', '--quiet'], generateHistory(commits))
  git(['reset', '-q', '--hard'])
  writeFileSync(stamp, '')
  return root
}

function isComplete(root: string, stamp: string) {
  try {
    readFileSync(stamp)
    return readFileSync(path.join(root, '.git', 'HEAD'), 'utf8').startsWith('ref:')
  } catch {
    return false
  }
}

/** Generates input for `git fast-import`: each commit changes one file, the first ones add them. */
function generateHistory(commits: number): string {
  return Array.from({ length: commits }, (_, i) => {
    const file = i % FILES
    const who = `Ada <ada@example.com> ${FIRST_COMMIT_TIME + i * 60} +0000`
    const message = `Change number ${i}\n\nIt changes file ${file}.\n`
    const content = `file ${file}\nas of change ${i}\n`
    return (
      `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n${message}` +
      `M 100644 inline folder_${Math.floor(file / FILES_PER_FOLDER)}/file_${file}.txt\ndata ${content.length}\n${content}\n`
    )
  }).join('')
}
