// Names of back-ups and temporary copies that editors and people make beside a file: they hold what the file holds.

/** Words at the end of such a name, after a dot, a hyphen or an underscore, perhaps with a number. */
export const BACKUP_WORDS: readonly string[] =
  'bak bck bkp backup old orig original save saved copy prev previous tmp temp rej lock'.split(' ')

/**
 * Endings, of one or several copies: Emacs (`~`, `.~1~`), Vim (`.swp` and its like, `.un~`), nano (`.save`, `.save.1`), JetBrains
 * (`___jb_tmp___`), RCS (`,v`), patch and merge tools (`.orig`, `.rej`), and what people append by hand.
 */
const ENDING = new RegExp(
  `(?:___jb_(?:tmp|old)___|,v|\\.~\\d+~|\\.un~|~|\\.sw[a-p]|[._-](?:${BACKUP_WORDS.join('|')})(?:\\.?\\d+)?| copy(?: \\d+)?| \\((?:copy ?)?\\d*\\)|\\.\\d{1,4})$`
)
/** Vim's swap files have a dot first. */
const SWAP_FILE = /^\.(.+)\.sw[a-p]$/
/** Emacs: `#name#` holds unsaved text, and `.#name` is a lock. */
const AUTO_SAVE = /^#(.+)#$/
const LOCK = /^\.#(.+)$/
/** Matches every name with one of these forms, and few others. */
const HINT = /[~#)]|___jb_|,v$|\.sw[a-p]$|[._ -](?:b(?:a?c?k|ck)|old|orig|sav|cop|prev|te?mp|rej|lock)|\.\d{1,4}$/
/** Maximum number of spellings: further endings stay. */
const MAX_SPELLINGS = 8

/** Checks quickly if a folded path may contain the name of a back-up. */
export const mayContainBackup = (path: string): boolean => HINT.test(path)

/** Returns the names of the files that a folded name may be a back-up of, the name itself first. */
export function originalNames(name: string): string[] {
  if (!HINT.test(name)) return [name]
  const names = new Set([name])
  // Grows while it is read.
  for (const each of names) {
    if (names.size > MAX_SPELLINGS) break
    for (const pattern of [SWAP_FILE, AUTO_SAVE, LOCK]) {
      const [, original] = pattern.exec(each) ?? []
      if (original !== undefined) names.add(original)
    }
    const original = each.replace(ENDING, '')
    if (original !== '') names.add(original)
  }
  return [...names]
}
