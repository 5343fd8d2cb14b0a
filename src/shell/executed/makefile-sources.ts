// Files with the recipes that make and its like execute: those named by an option, else the first of the names that they look up.
import type { SourceFinder } from './source-collector.ts'

interface Maker {
  programs: string
  /** Names in the order of precedence. */
  names: string
  /** Options that name the file instead. */
  fileOptions: string
  /** Options that change the folder first. */
  folderOptions: string
  /** It looks in the folders above as well. */
  upward?: true
  /** Finds names of files that the text includes. */
  includes?: RegExp
}

const MAKERS: readonly Maker[] = [
  {
    programs: 'make gmake',
    names: 'GNUmakefile makefile Makefile',
    fileOptions: '-f --file --makefile',
    folderOptions: '-C --directory',
    includes: /^[ ]*(?:-|s)?include[ \t]+([^#\n]+)/gm
  },
  {
    programs: 'just',
    names: 'justfile .justfile Justfile JUSTFILE',
    fileOptions: '-f --justfile',
    folderOptions: '-d --working-directory',
    upward: true,
    includes: /^(?:import|mod)\??[ \t]+(?:\w+[ \t]+)?['"]([^'"\n]+)['"]/gm
  },
  {
    programs: 'task go-task',
    names:
      'Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml ' +
      'taskfile.dist.yaml',
    fileOptions: '-t --taskfile',
    folderOptions: '-d --dir',
    upward: true
  },
  {
    programs: 'rake',
    names: 'rakefile Rakefile rakefile.rb Rakefile.rb',
    fileOptions: '-f --rakefile',
    folderOptions: '-C --directory',
    upward: true
  },
  { programs: 'ninja', names: 'build.ninja', fileOptions: '-f', folderOptions: '-C' }
]

function recipeFinder({ names, includes, upward, ...options }: Maker): SourceFinder {
  const lookedUp = names.split(' ')
  const fileOptions = options.fileOptions.split(' ')
  const folderOptions = options.folderOptions.split(' ')
  return (args, sources) => {
    const folder = optionValues(args, folderOptions).at(-1) ?? '.'
    const named = optionValues(args, fileOptions)
    const found = named.length > 0 ? named : firstOf(folder)
    for (const file of found) addRecipes(join(folder, file), folder)
    if (found.length > 0) sources.addUnknown('Its recipes may run scripts, which are not listed.')

    function firstOf(where: string): string[] {
      for (const name of lookedUp) {
        const at =
          upward && where === '.' ? sources.findUpward(name) : sources.exists(join(where, name)) ? '.' : undefined
        if (at !== undefined) return [join(at, name)]
      }
      return []
    }

    function addRecipes(file: string, base: string, depth = 0) {
      sources.addFile(file)
      if (!includes || depth > 3) return
      for (const [, list = ''] of (sources.read(file) ?? '').matchAll(includes))
        for (const name of list.trim().split(/\s+/))
          if (/[$*?[]/.test(name)) sources.addUnknown(`${file} includes files whose names cannot be determined.`)
          else addRecipes(join(base, name), base, depth + 1)
    }
  }
}

/** Returns the values of options, written as `-f x`, `-fx`, `--file x` or `--file=x`. */
function optionValues(args: readonly string[], options: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    for (const option of options) {
      if (arg === option) return args.slice(at + 1, at + 2)
      const joined = option.startsWith('--') ? `${option}=` : option
      if (arg.startsWith(joined) && arg.length > joined.length && !(joined === option && arg.startsWith('--')))
        return [arg.slice(joined.length)]
    }
    return []
  })
}

const join = (folder: string, name: string) => (folder === '.' || name.startsWith('/') ? name : `${folder}/${name}`)

export const MAKEFILE_SOURCES: Readonly<Record<string, SourceFinder>> = Object.fromEntries(
  MAKERS.flatMap(maker => {
    const find = recipeFinder(maker)
    return maker.programs.split(' ').map(program => [program, find])
  })
)
