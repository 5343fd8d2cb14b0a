// The data model of a parsed patch: sections per file, hunks and their lines.
export interface Patch {
  form: 'v4a' | 'unified'
  /** Changes of files, in order. */
  sections: PatchSection[]
  /** Tolerated deviations in the patch itself. */
  notes: string[]
}

/** Change of one file. */
export interface PatchSection {
  does: 'add' | 'update' | 'delete' | 'copy'
  path: string
  /** Destination of a move or copy. */
  to?: string
  /** New execute permission, if the patch sets it. */
  executable?: boolean
  /** First line in the patch, from 1. */
  line: number
  hunks: Hunk[]
}

export interface Hunk {
  /** First line in the patch, from 1. */
  line: number
  lines: HunkLine[]
  /** Stated line of the file, from 0. Without it the hunk is located only by its text. */
  at?: number
  /** Lines above the location, the outermost first. */
  anchors: string[]
  /** It extends to the end of the file. */
  at_end: boolean
}

export interface HunkLine {
  sign: ' ' | '-' | '+'
  /** Without the newline. */
  text: string
  /** No newline follows it in the file. */
  open?: true
}
