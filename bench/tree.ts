// A tree like that of a large repository, created once and cached for later runs.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createRandom, generateText } from './sample-text.ts'

const FILES_PER_FOLDER = 100
const FOLDERS_PER_PART = 20
const EXTENSIONS = ['ts', 'js', 'md', 'json', 'py', 'c', 'h', 'txt']
const MIN_FILE_BYTES = 200
const MAX_FILE_BYTES = 4_000
/** Number of distinct contents; each file begins with its own name. */
const DISTINCT_CONTENTS = 256
/** Increment whenever the generated tree changes. */
const TREE_VERSION = 1

/** Occurs in three files of the tree. */
export const RARE_LITERAL = 'axolotl_of_the_benches'
/** The name of one file of the tree. */
export const RARE_NAME = 'wanderer_4711.ts'

/** A folder of the tree with at most 2,000 files, one of which holds the literal. */
export const PART = 'part_0'

/** Returns the tree's folder; `count` is a multiple of 100. */
export function prepareTree(count: number): string {
  const home = path.join(tmpdir(), `toolgate-bench-tree-${TREE_VERSION}-${count}`)
  const root = path.join(home, 'tree')
  const stamp = path.join(home, 'complete')
  if (isIntact(root, stamp, count)) return root
  rmSync(home, { recursive: true, force: true })
  generateTree(root, count)
  writeFileSync(stamp, String(count))
  return root
}

function isIntact(root: string, stamp: string, count: number) {
  try {
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    return readFileSync(stamp, 'utf8') === String(count) && files.length === count
  } catch {
    return false
  }
}

function generateTree(root: string, count: number) {
  const next = createRandom(count)
  const contents = Array.from({ length: DISTINCT_CONTENTS }, (_, seed) =>
    generateText(MIN_FILE_BYTES + next(MAX_FILE_BYTES - MIN_FILE_BYTES), seed)
  )
  const marked = new Set([0, Math.floor(count / 2), count - 1])
  for (let folder = 0; folder < count / FILES_PER_FOLDER; folder++) {
    const place = path.join(root, `part_${Math.floor(folder / FOLDERS_PER_PART)}`, `folder_${folder}`)
    mkdirSync(place, { recursive: true })
    for (let i = 0; i < FILES_PER_FOLDER; i++) {
      const n = folder * FILES_PER_FOLDER + i
      const name = n === count >> 2 ? RARE_NAME : `file_${n}.${EXTENSIONS[n % EXTENSIONS.length]}`
      const mark = marked.has(n) ? `${RARE_LITERAL}\n` : ''
      writeFileSync(path.join(place, name), `${name}\n${contents[next(DISTINCT_CONTENTS)]}${mark}`)
    }
  }
}
