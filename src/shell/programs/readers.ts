// Programs that read files or print facts, with the flags that keep them so. Unlisted flags are not considered safe.
import type { Operand } from '../command-line-analysis.ts'
import { awk, jq, query } from '../commands/awk.ts'
import {
  guessPathOperands,
  linkedTreeOperand,
  listOperand,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  readOperand,
  readsOnly,
  treeIfFolderOperand,
  treeOperand,
  unknownFlag,
  writeOperand
} from '../commands/classification.ts'
import { fd, find } from '../commands/find.ts'
import { type ParsedArguments, parseArguments, parseFlagSet } from '../commands/parse-arguments.ts'
import { sed } from '../commands/sed.ts'
import { each, type ProgramFacts } from './program.ts'

type OperandMapper = (given: ParsedArguments) => readonly Operand[]

/** Maps every operand to a file that is read. */
const files: OperandMapper = ({ operands }) => operands.filter(path => path !== '-').map(readOperand)
/** Maps every operand to a path that is only named or listed. */
const names: OperandMapper = ({ operands }) => operands.map(listOperand)
const folders: OperandMapper = ({ operands }) => (operands.length > 0 ? operands : ['.']).map(listOperand)
const listTrees: OperandMapper = ({ operands }) =>
  (operands.length > 0 ? operands : ['.']).map(path => ({ path, access: 'list', tree: true }))

interface ReaderOptions {
  maxOperands?: number
  /** The use of files that flags name. */
  filesAre?: (path: string) => Operand
}

function reader(
  notation: string,
  operandsOf: OperandMapper,
  { maxOperands = Number.POSITIVE_INFINITY, filesAre = readOperand }: ReaderOptions = {}
): ProgramClassifier {
  const known = parseFlagSet(notation)
  return args => {
    const found = parseArguments(known, args)
    if (found.unknown !== undefined) return unknownFlag(found.unknown)
    if (found.operands.length > maxOperands)
      return needsStrictApproval('May overwrite the file of its last operand.', {
        operands: [writeOperand(found.operands.at(-1)!)]
      })
    return readsOnly([...operandsOf(found), ...found.files.filter(path => path !== '-').map(filesAre)])
  }
}

/** Defines a program whose operands are not files. */
export function definePrinter(notation: string, maxOperands = Number.POSITIVE_INFINITY): ProgramClassifier {
  const known = parseFlagSet(notation)
  return args => {
    const { unknown, operands } = parseArguments(known, args)
    if (unknown !== undefined) return unknownFlag(unknown)
    return operands.length > maxOperands
      ? needsApproval('Has arguments that are not known to be read-only.')
      : printsOnly()
  }
}

type ArgumentTest = (given: ParsedArguments) => boolean

const hasFlag =
  (...names: readonly string[]): ArgumentTest =>
  ({ flags }) =>
    names.some(name => flags.has(name))

/**
 * Defines a search program: the first operand is a pattern, unless a flag gives it; without files it reads its input, or the
 * whole folder.
 */
function searcher(
  notation: string,
  { whole, follows, takes }: { whole: ArgumentTest; follows: ArgumentTest; takes: readonly string[] }
): ProgramClassifier {
  const known = parseFlagSet(notation)
  return args => {
    const found = parseArguments(known, args)
    if (found.unknown !== undefined) return unknownFlag(found.unknown)
    const patternGiven = ['-e', '-f', '--regexp', '--file', '--files', '--type-list'].some(flag =>
      found.flags.has(flag)
    )
    const paths = found.operands.slice(patternGiven ? 0 : 1).filter(path => path !== '-')
    const tree = follows(found) ? linkedTreeOperand : treeOperand
    const operands = whole(found) ? (paths.length > 0 ? paths : ['.']).map(tree) : paths.map(readOperand)
    return {
      ...readsOnly([...operands, ...found.files.filter(path => path !== '-').map(readOperand)]),
      repeatableFlags: takes
    }
  }
}

const GREP =
  '-EFGIPivwxyclLoqsbHhnTZazUr -R -e! -f< -m: -A: -B: -C: -D: -d: -# --extended-regexp --fixed-strings --basic-regexp ' +
  '--perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-without-match ' +
  '--files-with-matches --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename ' +
  '--line-number --initial-tab --null --text --binary --null-data --recursive --dereference-recursive --line-buffered ' +
  '--regexp! --file< --max-count= --after-context= --before-context= --context= --color? --colour? --label= ' +
  '--binary-files= --devices= --directories= --include= --exclude= --exclude-dir= --exclude-from<'
const grep = searcher(GREP, {
  whole: hasFlag('-r', '-R', '--recursive', '--dereference-recursive', '--directories', '-d'),
  follows: hasFlag('-R', '--dereference-recursive'),
  takes: ['--include=', '--exclude=', '--exclude-dir=']
})

const RG =
  '-isSvwxFclLnNopqaHIPUu -0. -e! -f< -m: -A: -B: -C: -g: -t: -T: -r: -d: -j: -M: -E: ' +
  '--ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --fixed-strings --count ' +
  '--count-matches --files-with-matches --files-without-match --line-number --no-line-number --only-matching --pretty ' +
  '--quiet --text --with-filename --no-filename --pcre2 --multiline --multiline-dotall --hidden --no-ignore ' +
  '--no-ignore-vcs --no-messages --no-heading --heading --column --json --vimgrep --stats --trim --null --crlf --files ' +
  '--type-list --unrestricted --binary --follow --one-file-system --glob-case-insensitive --no-config --no-unicode ' +
  '--sort-files --block-buffered --line-buffered --passthru --regexp! --file< --max-count= --after-context= ' +
  '--before-context= --context= --glob= --iglob= --type= --type-not= --replace= --max-depth= --threads= --max-columns= ' +
  '--max-columns-preview --max-filesize= --encoding= --sort= --sortr= --color= --colors= --context-separator= --engine= ' +
  '--ignore-file< --include-zero --path-separator='
const rg = searcher(RG, { whole: () => true, follows: hasFlag('-L', '--follow'), takes: ['-g', '--glob=', '--iglob='] })

const ls = reader(
  // On BSD the last three have no value, so that it is a file.
  '-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I< -w< -T< --all --almost-all --author --escape --ignore-backups --color? ' +
    '--directory --classify? --file-type --full-time --group-directories-first --no-group --human-readable --si ' +
    '--dereference-command-line --hide= --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal ' +
    '--hide-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= ' +
    '--width= --context --zero --block-size= --format= --indicator-style=',
  found => (found.flags.has('-R') || found.flags.has('--recursive') ? listTrees(found) : folders(found)),
  { filesAre: listOperand }
)

/** With `--check` it also reads the files that are listed in its operands. */
const checksum = (notation: string): ProgramClassifier => {
  const read = reader(notation, files)
  return args => {
    const found = read(args)
    const checks = args.some(arg => /^-[a-z]*c/.test(arg) || arg.startsWith('--c'))
    return found.class === 'auto' && checks
      ? needsApproval('Reads a list of file names, and the files in the list.', {
          operands: found.operands ?? [],
          needsLiteralOperands: true
        })
      : found
  }
}
const sum = checksum('-bctwz --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn')

const tail = reader('-qvz -n: -c: -# --quiet --silent --verbose --zero-terminated --lines= --bytes= ', files)
const FOLLOWS = /^-[a-z]*[fF]|^--(?:fo|re)/
const runsUntilStopped: ProgramClassifier = args =>
  needsApproval('Runs until it is stopped.', {
    operands: args.flatMap(guessPathOperands),
    needsLiteralOperands: true
  })

const strings = reader('-afw -n: -t: -e: -# --all --bytes= --radix= --encoding=', files)
const FROM_FILE = 'May read further arguments from a file.'

/** It parses the first letter of an argument and ignores the others. */
const xxd = reader('-abCeEipPru -c: -g: -l: -n: -o: -s:', files, { maxOperands: 1 })
const XXD_NUMBER = /^-[cglos][+-]?(?:0x[\da-f]+|\d+)$/

const DATE = parseFlagSet('-uR -I? -d: -r< --utc --universal --iso-8601? --rfc-3339= --rfc-email --date= --reference<')

const date: ProgramClassifier = args => {
  const found = parseArguments(DATE, args)
  if (found.unknown !== undefined) return unknownFlag(found.unknown)
  if (found.operands.some(operand => !operand.startsWith('+'))) return needsStrictApproval('Sets the clock.')
  return readsOnly(found.files.map(readOperand))
}

/** Shows the command lines of other programs, and with some flags or columns their environment. */
const ps: ProgramClassifier = args =>
  args.some(arg => (arg.startsWith('-') ? /^-[A-Za-z]*E|env/.test(arg) : arg.includes('e')))
    ? needsStrictApproval('Prints the environment of other programs.')
    : needsApproval('Prints the command lines of other programs.')

const DATA = { data: true } as const
const ALWAYS_READS = { data: true, alwaysReads: true } as const
const PRINTS_WORDS = { data: true, printsWords: true } as const
const SED = {
  editsOperands: true,
  script: { valued: '-e -l', letters: 'nrEsuizb', loading: '-f --file', optionsOnly: true }
} as const
const QUERY = { runs: '-f --from-file -L --library-path', data: '--arg --argjson' }

export const READERS: readonly ProgramFacts[] = [
  ...each(ALWAYS_READS, {
    cat: reader(
      '-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
      files
    ),
    tac: reader('-br -s: --before --regex --separator=', files),
    nl: reader(
      '-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering= --number-format= --number-width= --number-separator= ' +
        '--starting-line-number= --line-increment=',
      files
    ),
    wc: reader('-cmlLw --bytes --chars --lines --max-line-length --words --total=', files),
    cut: reader(
      '-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited ' +
        '--output-delimiter= --zero-terminated',
      files
    ),
    tr: definePrinter('-cCdst --complement --delete --squeeze-repeats --truncate-set1'),
    rev: reader('-0 --zero', files),
    fold: reader('-bs -w: --bytes --spaces --width=', files),
    expand: reader('-i -t: --initial --tabs=', files),
    unexpand: reader('-a -t: --all --first-only --tabs=', files),
    paste: reader('-sz -d: --serial --delimiters= --zero-terminated', files),
    comm: reader('-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated', files),
    join: reader('-iz -a: -e: -j: -o: -t: -v: -1: -2: --ignore-case --header --check-order --nocheck-order', files),
    cmp: reader('-bls -i: -n: --print-bytes --verbose --quiet --silent --ignore-initial= --bytes=', files),
    'dir vdir': ls,
    du: reader(
      '-0abcDhHklLmsSx -B: -d: -t: --all --apparent-size --bytes --total --dereference-args --max-depth= --human-readable ' +
        '--si --summarize --one-file-system --exclude= --separate-dirs --null --time? --block-size= --threshold=',
      listTrees
    ),
    df: reader(
      '-ahHiklPT -B: -t: -x: --all --human-readable --si --inodes --local --portability --print-type --total --type= ' +
        '--exclude-type= --block-size= --output?',
      names
    ),
    stat: reader('-Lft -c: --dereference --file-system --format= --printf= --terse', names),
    readlink: reader(
      '-fenqsvmz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --zero',
      names
    ),
    realpath: reader(
      '-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks ' +
        '--zero --relative-to= --relative-base=',
      names
    ),
    'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum': sum,
    cksum: reader('-a: --algorithm= --untagged', files),
    od: reader('-abcdfhilosvx -A: -j: -N: -t: -w? -S: --address-radix= --skip-bytes= --read-bytes= --format=', files),
    strings: args => (args.some(arg => arg.startsWith('@')) ? needsStrictApproval(FROM_FILE) : strings(args)),
    base64: reader('-di -w: --decode --ignore-garbage --wrap=', files),
    'egrep fgrep': grep
  }),
  {
    names: 'head',
    classify: reader('-qvz -n: -c: -# --quiet --silent --verbose --zero-terminated --lines= --bytes=', files),
    ...ALWAYS_READS,
    filtersLines: true
  },
  {
    names: 'tail',
    classify: args => (args.some(arg => FOLLOWS.test(arg)) ? runsUntilStopped(args) : tail(args)),
    ...ALWAYS_READS,
    filtersLines: true
  },
  {
    names: 'grep',
    classify: grep,
    ...ALWAYS_READS,
    filtersLines: true,
    listsPaths: /^(?:-[A-Za-z]*[lL]|--files-with)/
  },
  { names: 'ls', classify: ls, ...ALWAYS_READS, listsPaths: true },
  ...each(DATA, {
    // On BSD -g and -p have no value, so that it is a file.
    fmt: reader('-cstu -w: -p< -g< --width= --crown-margin --split-only --uniform-spacing', files),
    column: reader(
      '-txeJL -R: -s: -o: -c: -N: -l: -d --table --fillrows --separator= --output-separator= --output-width= --table-columns= ' +
        '--json --table-name= -n<',
      files
    ),
    diff: reader(
      '-abBcdeEfinNpqrstTuwyZ -U: -C: -I: -W: -x: -L: -# --brief --report-identical-files --unified? --context? --ed ' +
        '--normal --side-by-side --width= --left-column --suppress-common-lines --recursive --new-file ' +
        '--unidirectional-new-file --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change ' +
        '--ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --color? ' +
        '--minimal --speed-large-files --exclude= --label= --show-c-function --no-dereference',
      found => {
        // Without -r it reads the files right in two folders.
        const isRecursive = hasFlag('-r', '--recursive')(found)
        const tree = hasFlag('--no-dereference')(found) ? treeOperand : linkedTreeOperand
        return found.operands.filter(path => path !== '-').map(isRecursive ? tree : treeIfFolderOperand)
      }
    ),
    tree: reader(
      '-adfilxpsughDFqNQrtUcvnCASJX -L; -P; -I; --noreport --charset= --filelimit= --si --du --prune --dirsfirst ' +
        '--filesfirst --gitignore --matchdirs --ignore-case --inodes --device --timefmt= --sort= --metafirst',
      listTrees
    ),
    file: reader(
      // Not -p, which sets the time of access.
      '-bEhikLNrsv0 -e: -F: --brief --mime --mime-type --mime-encoding --extension --dereference --no-dereference ' +
        '--keep-going --raw --print0 --separator=',
      files
    ),
    shasum: checksum('-bct -a: --binary --check --text --algorithm='),
    hexdump: reader('-bcCdovx -n: -s: -e: --canonical --length= --skip=', files),
    xxd: args => {
      const joined = args.find(arg => /^-[A-Za-z]./.test(arg) && !XXD_NUMBER.test(arg))
      return joined === undefined ? xxd(args) : unknownFlag(joined)
    },
    expr: definePrinter('-#'),
    factor: definePrinter(''),
    zcat: reader('-fqv', files),
    sum: reader('-rs', files),
    tsort: reader('', files),
    shuf: reader('-erz -i: -n: --echo --zero-terminated --input-range= --head-count= --repeat', files),
    which: definePrinter('-as --all'),
    whereis: definePrinter('-bms'),
    cal: definePrinter('-13jmsy')
  }),
  {
    names: 'uniq',
    classify: reader(
      '-cdDiuz -f: -s: -w: --count --repeated --all-repeated? --unique --ignore-case --skip-fields= --skip-chars= ' +
        '--check-chars= --zero-terminated --group?',
      files,
      { maxOperands: 1 }
    ),
    ...DATA,
    filtersLines: true
  },
  {
    names: 'sort',
    classify: reader(
      '-bcCdfghiMmnrRsuVz -k: -t: -S: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort ' +
        '--ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --reverse --version-sort --check? --key= ' +
        '--field-separator= --stable --unique --zero-terminated --merge --sort= --buffer-size= --parallel=',
      files
    ),
    data: { letters: 'bcCdfghiMmnrRsuVz', data: '-k -t -S -o --output -T --temporary-directory --key' },
    filtersLines: true
  },
  {
    names: 'rg',
    classify: rg,
    data: { runs: '--pre --hostname-bin --search-zip' },
    runsText: true,
    filtersLines: true,
    listsPaths: /^(?:-[A-Za-z]*l|--files(?:-with(?:out)?-match(?:es)?)?$)/
  },
  ...each(PRINTS_WORDS, {
    basename: definePrinter('-az -s: --multiple --suffix= --zero'),
    dirname: definePrinter('-z --zero'),
    seq: definePrinter('-w -f: -s: -# --equal-width --format= --separator='),
    sleep: definePrinter('')
  }),
  { names: 'date', classify: date, ...DATA },
  { names: 'ps', classify: ps, ...DATA, views: true },
  ...each(
    {},
    {
      lscpu: definePrinter('', 0),
      who: definePrinter('-abdHlmpqrstTuw', 0),
      nproc: definePrinter('--all --ignore=', 0),
      arch: definePrinter('', 0),
      uname: definePrinter(
        '-asnrvmpio --all --kernel-name --nodename --kernel-release --machine --operating-system',
        0
      ),
      whoami: definePrinter('', 0),
      logname: definePrinter('', 0),
      tty: definePrinter('-s --silent --quiet', 0),
      id: definePrinter('-aGgnruzZ --group --groups --name --real --user', 1),
      groups: definePrinter('', 1),
      uptime: definePrinter('-ps --pretty --since', 0),
      free: definePrinter('-bkmghltw --bytes --kibi --mebi --gibi --human --total --wide', 0),
      hostname: definePrinter('-fsidI --fqdn --short', 0),
      locale: definePrinter('-a --all-locales', 0),
      getconf: definePrinter('-a')
    }
  ),
  { names: 'find', classify: find, ...DATA, listsPaths: true },
  {
    names: 'fd',
    classify: fd,
    views: /^-[A-Za-z]*[xX]|^--exec/,
    listsPaths: true,
    runsWords: 'for files',
    data: { runs: '-x -X --exec --exec-batch' }
  },
  {
    names: 'fdfind',
    classify: fd,
    views: /^-[A-Za-z]*[xX]|^--exec/,
    runsWords: 'for files',
    data: { runs: '-x -X --exec --exec-batch' }
  },
  { names: 'sed', classify: sed, printsVersion: true, ...SED },
  { names: 'gsed', classify: sed, ...SED },
  {
    names: 'awk gawk mawk nawk',
    classify: awk,
    editsOperands: true,
    script: { valued: '-F -v', loading: '-f --file -i --include -E', optionsOnly: true }
  },
  { names: 'original-awk', classify: awk },
  { names: 'jq', classify: jq, data: QUERY },
  { names: 'gojq', classify: query, views: true, data: QUERY },
  { names: 'jaq xq tomlq', classify: query, views: /^-[A-Za-z]*i|^--in-?place/, data: QUERY },
  { names: 'yq', classify: query, views: /^-[A-Za-z]*[is]|^--(?:in-?place|split)/, data: QUERY },
  { names: 'dasel', classify: query, views: /^(?:put|delete)$/, data: QUERY },
  // Programs that show files or facts.
  {
    names:
      'bat batcat exa eza lsd shellcheck hadolint tokei cloc numfmt hexyl pr size zgrep bzcat xzcat zstdcat difft colordiff glow tldr csvlook csvcut csvstat lsb_release',
    views: true
  },
  { names: 'objdump readelf', ...DATA, views: true },
  { names: 'scc', views: /^-o|^--output/ },
  // Converters, which execute neither their words nor files that these name.
  {
    names:
      'ffprobe sox cwebp dwebp jpegoptim optipng pngquant exiftool mediainfo pdfinfo pdftoppm pdftotext qpdf iconv',
    ...DATA
  }
]
