// A tree like that of a large repository, made once and kept for later runs.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { numbers, text } from './sample-text.ts'

const FILES_A_FOLDER = 100
const FOLDERS_A_PART = 20
const EXTENSIONS = ['ts', 'js', 'md', 'json', 'py', 'c', 'h', 'txt']
const SMALLEST = 200
const LARGEST = 4_000
/** Different contents; every file begins with its own name besides. */
const CONTENTS = 256
/** Changed whenever the tree would come out otherwise. */
const VERSION = 1

/** Occurs in three files of the tree. */
export const RARE_LITERAL = 'axolotl_of_the_benches'
/** The name of one file of the tree. */
export const RARE_NAME = 'wanderer_4711.ts'

/** A folder of the tree with at most 2,000 files, one of which holds the literal. */
export const PART = 'part_0'

/** The tree's folder; `count` is a multiple of 100. */
export function tree(count: number): string {
  const home = path.join(tmpdir(), `toolgate-bench-tree-${VERSION}-${count}`)
  const root = path.join(home, 'tree')
  const stamp = path.join(home, 'complete')
  if (isIntact(root, stamp, count)) return root
  rmSync(home, { recursive: true, force: true })
  grow(root, count)
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

function grow(root: string, count: number) {
  const next = numbers(count)
  const contents = Array.from({ length: CONTENTS }, (_, seed) => text(SMALLEST + next(LARGEST - SMALLEST), seed))
  const marked = new Set([0, Math.floor(count / 2), count - 1])
  for (let folder = 0; folder < count / FILES_A_FOLDER; folder++) {
    const place = path.join(root, `part_${Math.floor(folder / FOLDERS_A_PART)}`, `folder_${folder}`)
    mkdirSync(place, { recursive: true })
    for (let i = 0; i < FILES_A_FOLDER; i++) {
      const n = folder * FILES_A_FOLDER + i
      const name = n === count >> 2 ? RARE_NAME : `file_${n}.${EXTENSIONS[n % EXTENSIONS.length]}`
      const mark = marked.has(n) ? `${RARE_LITERAL}\n` : ''
      writeFileSync(path.join(place, name), `${name}\n${contents[next(CONTENTS)]}${mark}`)
    }
  }
}
