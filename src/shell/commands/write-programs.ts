// Programs that change files of the workspace by what they are told, and which files those are.
import type { Operand } from '../command-line-analysis.ts'
import { asks, file, type Program, pathLike, reads, strictly, tree, written } from './classification.ts'

const operandsOf = (args: readonly string[]) => {
  const ends = args.indexOf('--')
  return ends < 0
    ? args.filter(arg => !arg.startsWith('-') || arg === '-')
    : [...args.slice(0, ends).filter(arg => !arg.startsWith('-')), ...args.slice(ends + 1)]
}
/** What flags such as `--target-directory=x` and `-C/x` name. */
const named = (args: readonly string[]) =>
  args.filter(arg => arg.startsWith('-')).flatMap(arg => pathLike(arg).map(({ path }) => written(path)))

const writesAll =
  (reason: string): Program =>
  args =>
    asks(reason, { operands: [...operandsOf(args).map(written), ...named(args)], touches: true })

/** Reads all its operands but the last, which it writes, or the folder that a flag names instead. */
const copies =
  (reason: string, source: (path: string) => Operand[]): Program =>
  args => {
    const into = args.findIndex(arg => /^-[A-Za-z]*t$|^--t[a-z-]*$/.test(arg)) + 1
    if (into > 0 && args[into] !== undefined) {
      const sources = operandsOf(args.toSpliced(into, 1))
      return asks(reason, {
        operands: [...sources.flatMap(source), written(args[into]), ...named(args)],
        touches: true
      })
    }
    const paths = operandsOf(args)
    const last = paths.length > 1 ? paths.at(-1)! : '.'
    const sources = paths.length > 1 ? paths.slice(0, -1) : paths
    return asks(reason, { operands: [...sources.flatMap(source), written(last), ...named(args)], touches: true })
  }

/** What the names of new files may begin with. */
const begun = (args: readonly string[]) => operandsOf(args).slice(1).map(written)

const SPECIAL_MODE = /^(?:[ugoa]*[+=][rwxXt]*s|0?[2467]\d{3}$)/

export const WRITERS: Readonly<Record<string, Program>> = {
  rm: args =>
    strictly('It removes files for good.', {
      operands: operandsOf(args).map(path => ({ path, access: 'write', tree: true }))
    }),
  touch: writesAll('It makes or touches files.'),
  mkdir: writesAll('It makes folders.'),
  rmdir: writesAll('It removes empty folders.'),
  tee: writesAll('It writes files.'),
  mktemp: writesAll('It makes a temporary file.'),
  cp: copies('It copies files.', path => [tree(path)]),
  install: copies('It copies files.', path => [file(path)]),
  mv: copies('It moves files, over others where they exist.', path => [{ path, access: 'write', tree: true }]),
  ln: copies('It makes a link.', path => [file(path)]),
  link: copies('It makes a link.', path => [file(path)]),
  split: args =>
    args.some(arg => arg.startsWith('--f'))
      ? strictly('It runs a program.')
      : asks('It writes files.', {
          operands: [...operandsOf(args).slice(0, 1).map(file), ...begun(args)],
          touches: true
        }),
  csplit: args =>
    asks('It writes files.', {
      operands: [...operandsOf(args).flatMap(path => [file(path), written(path)]), ...named(args)],
      touches: true
    }),
  patch: writesAll('Modifies files.'),
  chmod: args => {
    const [mode = '', ...paths] = args.filter(arg => !/^-{1,2}[A-Za-z]{2,}|^-[RcfvhHLP]/.test(arg))
    const operands = paths.map(written)
    if (args.some(arg => arg === '--recursive' || /^-[a-zA-Z]*R/.test(arg)))
      return strictly('It changes the permissions of everything beneath.', { operands })
    return SPECIAL_MODE.test(mode)
      ? strictly('It lets others run a file with its owner’s rights.', { operands })
      : asks('It changes permissions.', { operands, touches: true })
  },
  tar: args =>
    listing(/^-?[vzjJ]*t[vzjJ]*f$/, args) ??
    archives(args, '--(?:to-c|use-c|check.*=exec|rsh|rmt|info-s|new-vol|absolute|checkpoint-a|I)', /^-?[A-Za-z]*[IFP]/),
  zip: args => archives(args, '--(?:unzip-c|TT)', /^-(?:TT|[a-zA-Z]*T)/),
  unzip: args => listing(/^-[lvZ1]{1,2}$/, args) ?? archives(args, '--never', /^-[a-zA-Z]*:/),
  gzip: args => listing(/^-(?:dc|cd|l|lv|t)$/, args) ?? writesAll('It replaces files by compressed ones.')(args),
  gunzip: args => listing(/^-c$/, args) ?? writesAll('It replaces files by unpacked ones.')(args),
  bzip2: writesAll('It replaces files by compressed ones.'),
  xz: args => listing(/^-(?:dc|cd|l|t)$/, args) ?? writesAll('It replaces files by compressed ones.')(args),
  zstd: writesAll('It writes a compressed file.')
}

/** Only lists what an archive on this machine holds. */
function listing(flags: RegExp, [flag = '', archive, ...rest]: readonly string[]) {
  const told = flags.test(flag) && archive !== undefined && !/^-|:/.test(archive) && rest.length === 0
  return told ? reads([file(archive)]) : undefined
}

/** Before the folder that is unpacked into. */
const INTO = /^(?:-C|-d|--directory)$/
/** Of tar, before the archive. */
const MAKES_ARCHIVE = /^-?[A-Za-z]*[cruA][A-Za-z]*f$/

function archives(args: readonly string[], longFlags: string, shortFlags: RegExp) {
  const long = new RegExp(`^${longFlags}`)
  const operands = [
    ...operandsOf(args)
      .slice(/^[a-zA-Z]{1,8}$/.test(args[0] ?? '') ? 1 : 0)
      .map(tree),
    ...args.filter((_, at) => INTO.test(args[at - 1] ?? '') || (at === 1 && MAKES_ARCHIVE.test(args[0]!))).map(written),
    ...named(args)
  ]
  // A colon names another machine, which is reached by a program.
  return args.some(
    (arg, at) =>
      long.test(arg) || /^[^-/.][^/]*:/.test(arg) || ((arg.startsWith('-') || at === 0) && shortFlags.test(arg))
  )
    ? strictly('It runs a program, or writes outside.', { operands })
    : asks('It packs or unpacks files.', { operands, touches: true })
}
