// Files of the web console as built. They are read on each request: they are small, and a rebuilt page is then served without a
// restart.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface ConsoleFiles {
  /** Reads a file, or its compressed form made by the build. Undefined if there is none. */
  read(name: string, form: '' | '.br' | '.gz'): Promise<Buffer | undefined>
}

/** A plain file name without path components. */
const NAME = /^[A-Za-z0-9][\w-]*(?:\.[\w-]+)+$/

/** Returns the files of this file's package: beside it when built, and within `src` when not. */
export function consoleFiles(): ConsoleFiles {
  const places = import.meta.url.endsWith('.ts') ? ['../../dist/web/'] : ['./web/', '../web/']
  const folders = places.map(place => fileURLToPath(new URL(place, import.meta.url)))
  return filesIn(folders.find(folder => existsSync(folder)) ?? folders[0]!)
}

export const filesIn = (folder: string): ConsoleFiles => ({
  read: async (name, form) =>
    NAME.test(name) ? readFile(`${folder}/${name}${form}`).catch(() => undefined) : undefined
})
