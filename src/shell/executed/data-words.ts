// Words that name data, or files to install, whatever the program.
import { splitWords } from './source-finder.ts'

/** Options whose value is written, or taken as text, by all programs whose operands are data. */
export const OUTPUT_OPTIONS: ReadonlySet<string> = new Set(
  splitWords(
    '-o --output --out --outfile --outdir --out-dir --outDir --outFile --output-file --output-dir --log-file --logfile ' +
      '--junit-xml --junitxml --coverprofile --target-dir --cache-dir --cache-location --message'
  )
)

/** Packages and libraries, which run or install something also where a program takes its operands as data. */
export const INSTALLED_FILE =
  /\.(?:tgz|tar\.(?:gz|bz2|xz)|whl|zip|deb|rpm|apk|gem|jar|phar|pyz|so|dll|dylib|node|nupkg|vsix|snap|flatpak|wasm|pkg)$/i

/** Programs that change the root, or the folder, for the command in their words. */
export const FOLDER_OPTION =
  /^(?:-[CDRdrw]|--?(?:directory|chdir|cwd|root|rootdir|wd|wdns|working-directory|work-dir|workdir|prefix|sysroot|project-directory))$/
