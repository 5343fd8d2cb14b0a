export interface Patch {
  form: 'v4a' | 'unified'
  /** What happens to files, in order. */
  sections: PatchSection[]
  /** What was forgiven in the patch itself. */
  notes: string[]
}

/** What happens to one file. */
export interface PatchSection {
  does: 'add' | 'update' | 'delete' | 'copy'
  path: string
  /** Where an updated file moves to, or a copy is put. */
  to?: string
  /** Whether it may be run from then on, where the patch says so. */
  executable?: boolean
  /** The line of the patch, from 1, where it begins. */
  line: number
  hunks: Hunk[]
}

export interface Hunk {
  /** The line of the patch, from 1, where it begins. */
  line: number
  lines: HunkLine[]
  /** The line of the file, from 0, where it says it belongs. Without it the place is found by its text alone. */
  at?: number
  /** Lines that stand above the place, the outermost first. */
  anchors: string[]
  /** It reaches the end of the file. */
  at_end: boolean
}

export interface HunkLine {
  sign: ' ' | '-' | '+'
  /** Without the newline. */
  text: string
  /** No newline follows it in the file. */
  open?: true
}
