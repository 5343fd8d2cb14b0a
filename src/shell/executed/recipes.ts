// Files with the recipes that make and similar programs execute: those named by an option, else the first of the names that they
// look up. Recipe lines that name scripts literally are followed.
import {
  findUpward,
  joinFolder,
  type SourceCollector,
  type SourceFinder,
  splitWords,
  UNKNOWN
} from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

interface RecipeOptions {
  /** Names in the order of precedence. */
  names: string
  /** Options that name the file instead. */
  fileOptions: string
  /** Options that change the folder first. */
  folderOptions: string
  /** Further options that take a value. */
  valued?: string
  /** It looks in the folders above as well. */
  upward?: true
  /** Finds names of files that the text includes. */
  includes?: RegExp
  /** Endings and prefixes of files from which it makes a recipe file that is older or missing, by its built-in rules. */
  madeFrom?: { endings: string; prefixes: string }
  /** Finds recipe lines, with the command line as the group `line`. */
  lines?: RegExp
}

/** Maximum number of included files of one program. */
const MAX_INCLUDED = 30
/** Maximum length in characters of the recipes that are searched for what they execute. */
const MAX_RECIPES_LENGTH = 200_000
/** Maximum number of recipe lines that are followed. */
const MAX_RECIPE_LINES = 50

/** Finds the file with the recipes. */
export function recipeFinder({ names, includes, lines, upward, madeFrom, ...notation }: RecipeOptions): SourceFinder {
  const lookedUp = splitWords(names)
  const fileOptions = splitWords(notation.fileOptions)
  const folderOptions = splitWords(notation.folderOptions)
  const valued = new Set([...fileOptions, ...folderOptions, ...splitWords(notation.valued)])
  return (args, sources) => {
    const { options } = splitArguments(args, valued)
    const folders = optionValues(options, folderOptions)
    const folder = folders.reduce((at, next) => joinFolder(at, next), '.')
    const named = optionValues(options, fileOptions).filter(file => file !== '-')
    const found = named.length > 0 ? named.map(file => joinFolder(folder, file)) : findFirst()
    const seen = new Set<string>()
    for (const file of found.length > 0 ? found : lookedUp.map(name => joinFolder(folder, name))) addOrigins(file)
    for (const file of found) addRecipes(file)
    if (seen.size > 0) sources.addUnknown(UNKNOWN.recipes)

    function findFirst(): string[] {
      const at = upward && folders.length === 0 ? findUpward(sources, ...lookedUp) : folder
      return lookedUp
        .map(name => joinFolder(at ?? folder, name))
        .filter(file => sources.exists(file))
        .slice(0, 1)
    }

    /** Adds the files from which a recipe file is made first. */
    function addOrigins(file: string) {
      if (!madeFrom) return
      const [at, name] = [folderOf(file), file.slice(file.lastIndexOf('/') + 1)]
      const made = [
        ...splitWords(madeFrom.endings).map(ending => file + ending),
        ...splitWords(madeFrom.prefixes).flatMap(prefix =>
          [prefix + name, `${prefix}${name},v`].map(each => joinFolder(at, each))
        )
      ]
      for (const each of made) if (sources.exists(each)) sources.addFile(each)
    }

    function addRecipes(file: string) {
      if (seen.has(file)) return
      if (seen.size >= MAX_INCLUDED)
        return sources.addUnknown('The list of executed files may be incomplete: a build file includes too many files.')
      if (!sources.addFile(file)) return
      seen.add(file)
      const text = (sources.read(file) ?? '').slice(0, MAX_RECIPES_LENGTH)
      // Make resolves names from its folder, the others from that of the including file.
      const base = upward ? folderOf(file) : folder
      if (includes)
        for (const [, list = ''] of text.matchAll(includes))
          for (const name of splitWords(list.replaceAll('\t', ' ')))
            if (/[$*?[{]/.test(name)) sources.addUnknown(`${file} includes files whose names cannot be determined.`)
            else if (seen.size < MAX_INCLUDED) {
              addOrigins(joinFolder(base, name))
              addRecipes(joinFolder(base, name))
            }
      if (lines) addLines(text, lines, base, sources)
    }
  }
}

/** Begins like a command that may execute files of the workspace; the rest is not worth parsing. */
const MAY_EXECUTE =
  /^(?:\.{0,2}[\w.-]*\/|(?:ba|z|k|da)?sh |cd |source |\. |[a-z]+=|(?:npm|npx|pnpm|yarn|bun|node|deno|python[\d.]*|ruby|perl|php|make|\$\(MAKE\)|\$\{MAKE\}|just|task|tsx|uv|poetry|pytest|go|cargo) )/

function addLines(text: string, lines: RegExp, folder: string, sources: SourceCollector) {
  let count = 0
  for (const { groups } of text.matchAll(lines)) {
    const line = groups!.line!.trim()
    if (!MAY_EXECUTE.test(line) || line.endsWith('\\')) continue
    if (++count > MAX_RECIPE_LINES)
      return sources.addUnknown('The list of executed files may be incomplete: a build file has too many recipe lines.')
    // Make's own variables are not literal to the shell either.
    sources.addLine(
      line
        .replaceAll(/\$[({]MAKE[)}]/g, 'make')
        .replaceAll(/\{\{[^}]*\}\}/g, '$VALUE')
        .replaceAll(/\$[({][^()${}\n]*[)}]/g, '$VALUE')
        .replaceAll('$$', '$'),
      folder
    )
  }
}

function folderOf(file: string): string {
  const at = file.lastIndexOf('/')
  return at <= 0 ? '.' : file.slice(0, at)
}
