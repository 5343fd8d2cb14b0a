// The absolute paths of a root folder: its real one, and those that lead there through symbolic links, as they were when it was opened.
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import nodePath from 'node:path'
import { isInOrAt } from '../../text/root-path.ts'

/** A symbolic link to a folder. The folders above it are real; the target is absolute. */
export interface FolderLink {
  path: string
  target: string
}

/** Absolute paths of a root, the real one first, and the links that the others go through. */
export interface RootSpellings {
  spellings: readonly string[]
  links: readonly FolderLink[]
}

const MAX_SPELLINGS = 32
const MAX_LINKS = 40

/**
 * Finds the spellings of a root by the links that its configured path goes through, and by those in the system's root folder, such as
 * `/tmp` of macOS.
 */
export function findRootSpellings(configured: string, root: string): RootSpellings {
  const all = [...followLinks(configured), ...topLinks()]
  const spellings = new Set([root])
  const links = new Set<FolderLink>()
  for (const spelling of spellings)
    for (const link of all) {
      if (spellings.size === MAX_SPELLINGS || !isInOrAt(spelling, link.target)) continue
      spellings.add(link.path + spelling.slice(link.target.length))
      links.add(link)
    }
  return { spellings: [...spellings], links: [...links] }
}

/** Lists the links that a path to a folder goes through. */
function followLinks(path: string): FolderLink[] {
  const found: FolderLink[] = []
  const pending = path.split('/').filter(Boolean).reverse()
  let above = '/'
  while (pending.length > 0 && found.length < MAX_LINKS) {
    const name = pending.pop()!
    const here = nodePath.join(above, name)
    const target = name === '..' ? undefined : readLink(here)
    if (target === undefined) above = here
    else {
      found.push({ path: here, target: nodePath.resolve(above, target) })
      pending.push(...target.split('/').filter(Boolean).reverse())
      if (target.startsWith('/')) above = '/'
    }
  }
  return found
}

function topLinks(): FolderLink[] {
  return readdirSync('/').flatMap(name => {
    const target = readLink(`/${name}`)
    return target === undefined ? [] : [{ path: `/${name}`, target: nodePath.resolve('/', target) }]
  })
}

function readLink(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}
