// Another user, as whom root can run programs.
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The id of a user and a group that own nothing. */
export const ORDINARY_ID = 65_534

const OTHERS_MAY_ENTER = 0o001

/** Returns the options of a test that needs a folder, by default the temporary folder, to be within reach of another user. */
export function needsReach(place: string = tmpdir()): { skip?: string } {
  for (let folder = path.resolve(place); folder !== path.dirname(folder); folder = path.dirname(folder))
    if ((statSync(folder).mode & OTHERS_MAY_ENTER) === 0) return { skip: `other users cannot enter ${folder}` }
  return {}
}
