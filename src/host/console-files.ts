// The files of the console as the build left them. They are read when asked for: they are small, and a page that was built
// anew is then served without a restart.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface ConsoleFiles {
  /** The content of a file, or of the smaller form of it that the build made. Undefined where there is none. */
  read(name: string, form: '' | '.br' | '.gz'): Promise<Buffer | undefined>
}

/** A name and nothing that leads anywhere. */
const NAME = /^[A-Za-z0-9][\w-]*(?:\.[\w-]+)+$/

/** Those of the package this file is in: it lies beside the console when it is built, and within `src` when it is not. */
export function consoleFiles(): ConsoleFiles {
  const places = import.meta.url.endsWith('.ts') ? ['../../dist/web/'] : ['./web/', '../web/']
  const folders = places.map(place => fileURLToPath(new URL(place, import.meta.url)))
  return filesIn(folders.find(folder => existsSync(folder)) ?? folders[0]!)
}

export const filesIn = (folder: string): ConsoleFiles => ({
  read: async (name, form) =>
    NAME.test(name) ? readFile(`${folder}/${name}${form}`).catch(() => undefined) : undefined
})
