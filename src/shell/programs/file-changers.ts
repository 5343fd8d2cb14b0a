// Programs that change or pack the files in their arguments, and the operands concerned.
import type { Operand } from '../command-line-analysis.ts'
import {
  guessPathOperands,
  isIrrevocable,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  readOperand,
  readsOnly,
  treeOperand,
  writeOperand
} from '../commands/classification.ts'
import { type DataWords, each, type ProgramFacts } from './program.ts'

const collectOperands = (args: readonly string[]) => {
  const ends = args.indexOf('--')
  return ends < 0
    ? args.filter(arg => !arg.startsWith('-') || arg === '-')
    : [...args.slice(0, ends).filter(arg => !arg.startsWith('-')), ...args.slice(ends + 1)]
}
/** Returns the paths in flags such as `--target-directory=x` and `-C/x`. */
const flagOperands = (args: readonly string[]) =>
  args.filter(arg => arg.startsWith('-')).flatMap(arg => guessPathOperands(arg).map(({ path }) => writeOperand(path)))

const writesAll =
  (reason: string): ProgramClassifier =>
  args =>
    needsApproval(reason, {
      operands: [...collectOperands(args).map(writeOperand), ...flagOperands(args)],
      needsLiteralOperands: true
    })

/** Reads all operands except the last, which it writes, or the folder in a flag instead. */
const copies =
  (reason: string, source: (path: string) => Operand[]): ProgramClassifier =>
  args => {
    const into = args.findIndex(arg => /^-[A-Za-z]*t$|^--t[a-z-]*$/.test(arg)) + 1
    if (into > 0 && args[into] !== undefined) {
      const sources = collectOperands(args.toSpliced(into, 1))
      return needsApproval(reason, {
        operands: [...sources.flatMap(source), writeOperand(args[into]), ...flagOperands(args)],
        needsLiteralOperands: true
      })
    }
    const paths = collectOperands(args)
    const last = paths.length > 1 ? paths.at(-1)! : '.'
    const sources = paths.length > 1 ? paths.slice(0, -1) : paths
    return needsApproval(reason, {
      operands: [...sources.flatMap(source), writeOperand(last), ...flagOperands(args)],
      needsLiteralOperands: true
    })
  }

/** Returns the prefixes of output files. */
const outputPrefixOperands = (args: readonly string[]) => collectOperands(args).slice(1).map(writeOperand)

const SPECIAL_MODE = /^(?:[ugoa]*[+=][rwxXt]*s|0?[2467]\d{3}$)/

/** Classifies listing a local archive. */
function listing(flags: RegExp, [flag = '', archive, ...rest]: readonly string[]) {
  const isListing = flags.test(flag) && archive !== undefined && !/^-|:/.test(archive) && rest.length === 0
  return isListing ? readsOnly([readOperand(archive)]) : undefined
}

/** Flags before the extraction folder. */
const INTO = /^(?:-C|-d|--directory)$/
/** The flags of tar before the archive. */
const MAKES_ARCHIVE = /^-?[A-Za-z]*[cruA][A-Za-z]*f$/

/** Flags by which tar runs a program, writes outside of the folder, or reads files that a list names. */
const TAR_UNSAFE_FLAGS = (
  'to-command use-compress-program checkpoint-action rsh-command rmt-command info-script new-volume-script absolute-names ' +
  'absolute-paths files-from'
).split(' ')
/** Flags that are no abbreviation of one of these. */
const TAR_WHOLE_FLAGS = new Set(['file', 'checkpoint'])

function archives(args: readonly string[], longFlags: readonly string[], shortFlags: RegExp) {
  const isUnsafe = (arg: string) => {
    const given = /^--([a-z-]+)/.exec(arg)?.[1]
    return given !== undefined && !TAR_WHOLE_FLAGS.has(given) && longFlags.some(name => name.startsWith(given))
  }
  const operands = [
    ...collectOperands(args)
      .slice(/^[a-zA-Z]{1,8}$/.test(args[0] ?? '') ? 1 : 0)
      .map(treeOperand),
    ...args
      .filter((_, at) => INTO.test(args[at - 1] ?? '') || (at === 1 && MAKES_ARCHIVE.test(args[0]!)))
      .map(writeOperand),
    ...flagOperands(args)
  ]
  // A colon denotes another machine, which is contacted by a program.
  return args.some(
    (arg, at) =>
      isUnsafe(arg) || /^[^-/.][^/]*:/.test(arg) || ((arg.startsWith('-') || at === 0) && shortFlags.test(arg))
  )
    ? needsStrictApproval('Runs a program, or writes outside the workspace.', { operands })
    : needsApproval('Packs or unpacks files.', { operands, needsLiteralOperands: true })
}

const changesOwners: ProgramClassifier = () => isIrrevocable('Changes the owner or access rights of files.')

const DATA = { data: true } as const
const KEEPS_CONTENT = { data: true, keepsContent: true } as const
const PRINTS_VERSION = { data: true, printsVersion: true } as const
const TAR: DataWords = {
  letters: 'cxtrudAvzjJZakpmhOSwWsPRBiGlnoU',
  data:
    '-f --file -C --directory -T --files-from -X --exclude-from --exclude -g --listed-incremental -b -H --format ' +
    '--strip-components --transform --xform --owner --group --mode --mtime -N --newer -K -L --one-top-level',
  plain:
    '--create --extract --get --list --append --update --verbose --gzip --bzip2 --xz --zstd --keep-old-files --overwrite ' +
    '--no-same-owner --no-same-permissions --preserve-permissions --totals --dereference --wildcards',
  lettersFirst: true
}

export const FILE_CHANGERS: readonly ProgramFacts[] = [
  ...each(DATA, {
    rm: args =>
      isIrrevocable('Removes files permanently.', {
        operands: collectOperands(args).map(path => ({ path, access: 'write', tree: true }))
      }),
    rmdir: writesAll('Removes empty folders.'),
    tee: writesAll('Writes files.'),
    mktemp: writesAll('Creates a temporary file.'),
    cp: copies('Copies files.', path => [treeOperand(path)]),
    mv: copies('Moves files; existing ones are overwritten.', path => [{ path, access: 'write', tree: true }]),
    ln: copies('Creates a link.', path => [readOperand(path)]),
    link: copies('Creates a link.', path => [readOperand(path)]),
    csplit: args =>
      needsApproval('Writes files.', {
        operands: [
          ...collectOperands(args).flatMap(path => [readOperand(path), writeOperand(path)]),
          ...flagOperands(args)
        ],
        needsLiteralOperands: true
      }),
    gunzip: args => listing(/^-c$/, args) ?? writesAll('Replaces files by unpacked ones.')(args),
    bzip2: writesAll('Replaces files by compressed ones.'),
    zstd: writesAll('Writes a compressed file.')
  }),
  ...each(KEEPS_CONTENT, {
    touch: writesAll('Creates files or updates their times.'),
    mkdir: writesAll('Creates folders.'),
    chmod: args => {
      const [mode = '', ...paths] = args.filter(arg => !/^-{1,2}[A-Za-z]{2,}|^-[RcfvhHLP]/.test(arg))
      const operands = paths.map(writeOperand)
      if (args.some(arg => arg === '--recursive' || /^-[a-zA-Z]*R/.test(arg)))
        return isIrrevocable('Changes permissions recursively.', { operands })
      return SPECIAL_MODE.test(mode)
        ? isIrrevocable('Allows other users to run a file with the rights of its owner (setuid).', { operands })
        : needsApproval('Changes permissions.', { operands, needsLiteralOperands: true })
    }
  }),
  ...each(PRINTS_VERSION, {
    gzip: args => listing(/^-(?:dc|cd|l|lv|t)$/, args) ?? writesAll('Replaces files by compressed ones.')(args),
    xz: args => listing(/^-(?:dc|cd|l|t)$/, args) ?? writesAll('Replaces files by compressed ones.')(args)
  }),
  {
    names: 'unzip',
    classify: args => listing(/^-[lvZ1]{1,2}$/, args) ?? archives(args, [], /^-[a-zA-Z]*:/),
    ...DATA,
    listings: ['-l', '-v', '-Z']
  },
  {
    names: 'install',
    classify: args =>
      args.some(arg => arg.startsWith('--strip-'))
        ? needsStrictApproval('Runs a program.')
        : copies('Copies files.', path => [readOperand(path)])(args),
    data: { letters: 'bcCdDpsTv', data: '-m --mode -o --owner -g --group -t --target-directory -S' }
  },
  {
    names: 'split',
    classify: args =>
      args.some(arg => arg.startsWith('--f'))
        ? needsStrictApproval('Runs a program.')
        : needsApproval('Writes files.', {
            operands: [...collectOperands(args).slice(0, 1).map(readOperand), ...outputPrefixOperands(args)],
            needsLiteralOperands: true
          }),
    printsVersion: true,
    runsText: true,
    data: { data: '-a -b -C -l -n -t --suffix-length --bytes --lines --number', letters: 'dexu' }
  },
  {
    names: 'patch',
    classify: writesAll('Modifies files.'),
    followsInput: true,
    data: { letters: 'bcElNnRstuvZf', data: '-p --strip -d --directory -o --output -r -B -D -F -V -z', operands: 1 }
  },
  {
    names: 'tar',
    classify: args => listing(/^-?[vzjJ]*t[vzjJ]*f$/, args) ?? archives(args, TAR_UNSAFE_FLAGS, /^-?[A-Za-z]*[IFPT]/),
    printsVersion: true,
    runsText: true,
    data: TAR
  },
  { names: 'gtar bsdtar', runsText: true, data: TAR },
  {
    names: 'zip',
    classify: args => archives(args, ['unzip-command'], /^-[a-zA-Z]*T/),
    printsVersion: true,
    runsText: true,
    data: { runs: '-TT --unzip-command' }
  },
  { names: 'brotli 7z unrar', ...DATA },
  { names: 'unlink shred srm wipe trash', classify: () => isIrrevocable('Removes files permanently.'), ...DATA },
  { names: 'dd truncate fallocate', classify: () => isIrrevocable('Overwrites files or devices.'), ...DATA },
  { names: 'chown chgrp setfacl', classify: changesOwners, ...KEEPS_CONTENT },
  { names: 'chattr setcap setfattr', classify: changesOwners, ...DATA }
]
