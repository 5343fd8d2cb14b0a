// Temporary files of editors, whose changes are never reported.
import { foldPath, NamePatterns } from '../files/policy/name-patterns.ts'
import { EDITOR_TEMP_FILE_NAMES } from '../files/policy/sensitive-names.ts'

const EDITOR_TEMP_NAMES = new NamePatterns(EDITOR_TEMP_FILE_NAMES)

/** Checks if a path is a temporary file of an editor, or in a folder of such a name. */
export const isEditorTempFile = (path: string): boolean => EDITOR_TEMP_NAMES.covers(foldPath(path).split('/'))
