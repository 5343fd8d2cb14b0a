// Reader of awk programs: splits a program into tokens, and accepts it only if each computes or prints to standard output, whichever
// awk reads it. Loops are not accepted, so that no program runs forever.

/** Maximum length that is read in negligible time. */
const MAX_PROGRAM_LENGTH = 2_000

const NAMES = new Set(
  (
    'BEGIN END NR NF FNR FS OFS RS ORS FILENAME SUBSEP print printf length substr index split sub gsub match sprintf ' +
    'tolower toupper int if else next exit in sum total count max min n i s a seen'
  ).split(' ')
)
/** Names after which a slash begins a pattern. */
const BEFORE_PATTERN = new Set(['print', 'printf', 'else', 'in'])

/** A backslash joins lines nowhere but in strings, and only some awks know `**`. */
const TOKEN =
  /(?<blank>[ \t]+)|(?<name>[A-Za-z_]\w*)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w))|(?<text>"(?:[^"\\\n]|\\[^\n])*")|(?<operator>&&|\|\||\+\+|--|[=!<>+*%^-]=|[-\n(){}[\],;:?!=<>+*%^~$/])/y

/** Matches a pattern whose end every awk finds at the same slash. */
const PATTERN = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:[^\][/\\\n]|\[:[a-z]{1,10}:\])*\])*\//y

/** Returns true if the program certainly only computes and prints. */
export function isSafeAwkProgram(program: string): boolean {
  if (program.length > MAX_PROGRAM_LENGTH) return false
  /** The last token before blanks. */
  let before = ''
  let isPrinting = false
  /** Open parentheses: true for those of a condition, after which a statement begins. */
  const open: boolean[] = []
  let endsCondition = false
  for (let at = 0; at < program.length; ) {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(program)
    if (!found) return false
    let [token] = found
    const { blank, name, operator } = found.groups!
    if (blank !== undefined) {
      at += token.length
      continue
    }
    if (name !== undefined && !NAMES.has(name)) return false
    if (operator === '/') {
      const begins = before === ')' ? endsCondition : beginsPattern(before)
      if (begins === undefined) return false
      if (begins) {
        PATTERN.lastIndex = at
        const pattern = PATTERN.exec(program)
        if (!pattern) return false
        token = pattern[0]
      }
    }
    if (token === '(') open.push(before === 'if')
    if (token === ')') endsCondition = open.pop() ?? false
    // A redirection of print goes on after some newlines.
    if (name === 'print' || name === 'printf') isPrinting = true
    if (token === ';' || token === '}') isPrinting = false
    if (isPrinting && operator?.includes('>')) return false
    at += token.length
    before = token
  }
  return true
}

/** Returns true if a slash after this token begins a pattern, and false if it divides; undefined where that depends. */
function beginsPattern(before: string): boolean | undefined {
  if (before === '' || /^(?:&&|\|\||[(,{};\n!~?:])$/.test(before) || BEFORE_PATTERN.has(before)) return true
  if (/^(?:\d|\.\d|")/.test(before) || before === ']' || (NAMES.has(before) && !STATEMENTS.has(before))) return false
  return undefined
}
/** Names that are no value. */
const STATEMENTS = new Set(
  'BEGIN END print printf if else next exit in split sub gsub match sprintf substr index tolower toupper int length'.split(
    ' '
  )
)
