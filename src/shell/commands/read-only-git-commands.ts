// Read-only commands of git, with the flags that keep them so.
import type { Operand } from '../command-line-analysis.ts'
import {
  type Classification,
  isIrrevocable,
  listOperand,
  needsApproval,
  needsStrictApproval,
  readOperand,
  treeOperand
} from './classification.ts'
import { SEARCHES_HISTORY } from './git-history.ts'
import { type FlagSet, type ParsedArguments, parseFlagSet } from './parse-arguments.ts'

const DIFF =
  '-pusRazwbW -U? -M? -C? -B? -S: -G: -l: -D --patch --no-patch --raw --minimal --patience --histogram --unified? --stat? ' +
  '--numstat --shortstat --dirstat? --summary --name-only --name-status --color? --no-color --word-diff? ' +
  '--word-diff-regex= --color-words? --no-renames --find-renames? --find-copies? --check --full-index --binary ' +
  '--abbrev? --diff-filter= --pickaxe-all --pickaxe-regex --relative? --text --ignore-space-change --ignore-all-space ' +
  '--ignore-blank-lines --ignore-cr-at-eol --ignore-space-at-eol --function-context --exit-code --quiet ' +
  '--no-ext-diff --no-textconv --ignore-submodules? --submodule? --src-prefix= --dst-prefix= --no-prefix --merge-base ' +
  '--cached --staged --compact-summary --diff-algorithm= --inter-hunk-context= --color-moved? --no-indent-heuristic'
const LOG =
  '-n: -# -i -E -F -g -c -m -L: -t --max-parents= --min-parents= --max-count= --skip= --since= --after= --until= --before= --author= --committer= ' +
  '--grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp ' +
  '--basic-regexp --merges --no-merges --first-parent --all --branches? --tags? --remotes? --glob= --exclude= --reflog ' +
  '--walk-reflogs --oneline --pretty? --format? --abbrev-commit --no-abbrev-commit --decorate? --no-decorate ' +
  '--decorate-refs= --date= --graph --no-graph --follow --reverse --topo-order --date-order --author-date-order ' +
  '--left-right --cherry --cherry-pick --cherry-mark --boundary --simplify-by-decoration --full-history --parents ' +
  '--children --log-size --source --no-walk? --use-mailmap --no-mailmap --relative-date --ancestry-path --not ' +
  '--no-notes --notes? --clear-decorations --line-prefix= --remerge-diff --cc --diff-merges= --dense --sparse'
const LISTING =
  '--contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --column? --color? --ignore-case'

type GitOperandMapper = (given: ParsedArguments) => readonly Operand[]

/** Revisions and files look alike: each may be a file, and `revision:path` names a historic one. */
const revisions: GitOperandMapper = ({ operands, values }) =>
  [...operands, ...(values.get('-L') ?? []).flatMap(filesOfRange)].flatMap(toRevisionOperand)
/** Returns the file of `-L 1,2:file` and `-L :function:file`. */
const filesOfRange = (range: string) => (range.includes(':') ? [range.slice(range.indexOf(':') + 1)] : [])
const toRevisionOperand = (operand: string): Operand[] => {
  // Also `:path` and `:2:path` of the index, and pathspecs with magic, such as `:(top)path` and `:!path`.
  const path = operand.replace(/^(?::(?:\([^)]*\)|[!^/]{1,9}|\d:)?|[^:]+:)/, '')
  // A revision may contain colons itself, as in `HEAD^{/fix: x}:path`, and so may a path.
  const later = [...path.matchAll(/:/g)].map(({ index }) => path.slice(index + 1)).filter(Boolean)
  return [{ ...readOperand(path || '.'), ...(REVISION.test(operand) && { revision: true }) }, ...later.map(readOperand)]
}
const NAME = '(?:@|\\w(?:[\\w/-]*\\w)?)'
const BACK = '(?:[~^]\\d*)'
/** Matches `HEAD`, `main~2`, `HEAD^..main`; not a plain name, which as often denotes a file. */
const REVISION = new RegExp(
  `^(?:(?:@|(?:[A-Z]+_)?HEAD)${BACK}*|${NAME}${BACK}+|${NAME}${BACK}*\\.{2,3}(?:${NAME}${BACK}*)?)$`
)
/** Operands of a command that also reads the files in folders, and the whole workspace for a pathspec with a pattern. */
const revisionsAndTrees: GitOperandMapper = given => toTreeOperands(revisions(given))
const toTreeOperands = (operands: readonly Operand[]): Operand[] =>
  operands.map(operand =>
    /[*?[]/.test(operand.path) && !operand.revision ? treeOperand('.') : { ...operand, treeIfFolder: true }
  )
const paths: GitOperandMapper = ({ operands }) => operands.map(listOperand)
const nothing: GitOperandMapper = () => []

interface Reader {
  flags: FlagSet
  operands: GitOperandMapper
  /** Returns a stricter classification if the arguments can change something. */
  unless?: (given: ParsedArguments) => Classification | undefined
}
const reader = (notation: string, operands: GitOperandMapper, unless?: Reader['unless']): Reader => ({
  flags: parseFlagSet(notation),
  operands,
  ...(unless && { unless })
})

export const MAY_CREATE_REF = needsApproval('May create or move a reference.')
const rejectOperands = (given: ParsedArguments) => (given.operands.length > 0 ? MAY_CREATE_REF : undefined)
/** Requires a flag that makes operands patterns of a listing. */
const requireListing = (given: ParsedArguments) =>
  given.operands.length > 0 &&
  !['--list', '-l', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'].some(flag =>
    given.flags.has(flag)
  )
    ? MAY_CREATE_REF
    : undefined
const allowSubcommands =
  (...allowed: string[]) =>
  (given: ParsedArguments) =>
    given.operands[0] === undefined || allowed.includes(given.operands[0])
      ? undefined
      : needsApproval('May change the repository.')

export const SAFE_CONFIG_KEYS =
  /^(?:user|branch|init|pull|push|merge|rebase|diff|color|advice|fetch)\.[A-Za-z0-9_./-]+$|^core\.(?:editor|autocrlf|eol|filemode|bare|ignorecase)$/

export const READ_ONLY_GIT_COMMANDS: Readonly<Record<string, Reader>> = {
  status: reader(
    '-sbuvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? --ahead-behind ' +
      '--no-ahead-behind --renames --no-renames --column? --no-column --null --ignore-submodules?',
    paths
  ),
  diff: reader(DIFF, revisionsAndTrees),
  log: reader(`${DIFF} ${LOG}`, revisions),
  show: reader(`${DIFF} ${LOG}`, revisions),
  whatchanged: reader(`${DIFF} ${LOG}`, revisions),
  shortlog: reader(`${LOG} -nsec --numbered --summary --email --group=`, revisions),
  'rev-list': reader(`${LOG} --stdin --count --objects --disk-usage? --header --timestamp`, revisions),
  'diff-tree': reader(`${DIFF} -rt --root --no-commit-id`, revisions),
  'diff-index': reader(DIFF, revisions),
  'diff-files': reader(DIFF, revisions),
  'rev-parse': reader(
    '-q --verify --short? --abbrev-ref? --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup ' +
      '--git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository ' +
      '--is-shallow-repository --all --branches? --tags? --remotes? --quiet --show-superproject-working-tree ' +
      '--show-object-format? --revs-only --no-revs --flags --no-flags',
    revisions
  ),
  'ls-files': reader(
    '-cdmosutkrvfz -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory ' +
      '--no-empty-directory --exclude= --exclude-standard --error-unmatch --full-name --abbrev? --debug --deduplicate --eol',
    paths
  ),
  'ls-tree': reader(
    '-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=',
    nothing
  ),
  'cat-file': reader('-tsep', revisions),
  'merge-base': reader('-a --all --octopus --independent --is-ancestor --fork-point', nothing),
  'name-rev': reader('--tags --name-only --refs= --always --no-undefined', nothing),
  'show-ref': reader('-dsq --head --tags --heads --dereference --hash? --verify --abbrev? --quiet', nothing),
  'for-each-ref': reader(`--count= ${LISTING}`, nothing),
  'count-objects': reader('-vH --verbose --human-readable', nothing),
  'check-ignore': reader('-qvnz --quiet --verbose --non-matching --null --no-index', paths),
  'check-attr': reader('-az --all --cached --null', paths),
  cherry: reader('-v --abbrev?', nothing),
  'symbolic-ref': reader('-q --quiet --short', nothing, given =>
    given.operands.length > 1 ? isIrrevocable('Moves references.') : undefined
  ),
  version: reader('--build-options', nothing),
  describe: reader(
    '--all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always ' +
      '--first-parent --dirty?',
    nothing
  ),
  blame: reader(
    '-lsftpwecbkn -L: -M? -C? --root --show-stats --porcelain --line-porcelain --incremental --score-debug --show-name ' +
      '--show-number --show-email --abbrev= --date= --since= --color-lines --color-by-age --first-parent --ignore-rev=',
    revisions
  ),
  grep: reader(
    '-aiIwvhHEGFPnlLzocpWqr -e! -m: -A: -B: -C: -# --cached --untracked --no-exclude-standard --exclude-standard --text ' +
      '--ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp ' +
      '--fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null ' +
      '--only-matching --count --color? --no-color --break --heading --show-function --function-context --context= ' +
      '--after-context= --before-context= --max-depth= --threads= --and --or --not --all-match --quiet --recursive ' +
      '--no-recursive --max-count=',
    ({ operands, flags: seen, delimiterIndex }) => {
      const places = operands.slice(seen.has('-e') ? 0 : 1)
      const found = toTreeOperands(places.flatMap(toRevisionOperand))
      const all = found.some(({ revision }) => !revision) ? found : [...found, treeOperand('.')]
      const mayBeRevision = delimiterIndex === undefined
      return mayBeRevision
        ? all.map(place => (place.revision ? place : { ...place, ifMissing: SEARCHES_HISTORY }))
        : all
    }
  ),
  branch: reader(
    `-avrlqi -vv --all --remotes --list --show-current --verbose --abbrev? --no-abbrev --quiet ${LISTING}`,
    nothing,
    requireListing
  ),
  tag: reader(`-li -n? --list ${LISTING}`, nothing, requireListing),
  remote: reader('-v --verbose', nothing, allowSubcommands('get-url')),
  stash: reader(`${DIFF} --oneline --pretty? --format? --date=`, nothing, given =>
    ['list', 'show'].includes(given.operands[0] ?? '')
      ? undefined
      : needsApproval('Stashes changes, or restores stashed ones.')
  ),
  reflog: reader(`${DIFF} ${LOG}`, nothing, given =>
    ['expire', 'delete', 'drop'].includes(given.operands[0] ?? '')
      ? isIrrevocable('Removes recovery points (reflog entries).')
      : undefined
  ),
  worktree: reader('-vz --porcelain --verbose', nothing, allowSubcommands('list')),
  notes: reader('', nothing, allowSubcommands('list', 'show')),
  config: reader(
    '-z --get= --get-all= --null --show-origin --show-scope --type= --bool --int --default=',
    nothing,
    given =>
      given.operands.length > 0 || given.flags.size === 0
        ? needsStrictApproval('May change what git runs, or print credentials.')
        : undefined
  ),
  bundle: reader('', ({ operands }) => operands.slice(1).map(readOperand), allowSubcommands('verify', 'list-heads')),
  var: reader('', nothing, rejectOperands)
}
