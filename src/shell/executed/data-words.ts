// Words that programs take as data, as tables: no program executes the files that these words name. A file that any other word of a
// command names may be executed, so that it is shown and bound.
import { MAKERS } from '../commands/builders.ts'
import { CHECKERS } from '../commands/checkers.ts'
import { splitWords } from './source-finder.ts'

/** Programs that execute neither their words nor files that these name, whatever their options. */
export const DATA_PROGRAMS: ReadonlySet<string> = new Set(
  splitWords(
    // Readers.
    'cat tac head tail nl wc cut tr rev fold fmt expand unexpand column paste comm join cmp diff uniq ls dir vdir tree du df stat ' +
      'file readlink realpath basename dirname md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum cksum sum od ' +
      'hexdump xxd strings base64 grep egrep fgrep zcat tsort shuf seq sleep expr factor which whereis type help date cal ps ' +
      'find pwd true false : echo printf test [ printenv envsubst jobs caller history ' +
      // What changes files without executing them.
      'rm rmdir mkdir touch tee mktemp cp mv ln link csplit chmod chown chgrp setfacl chattr setcap setfattr unlink shred srm wipe ' +
      'trash dd truncate fallocate gzip gunzip bzip2 xz unzip zstd brotli 7z unrar ' +
      // Control and variables of the shell; what variables make programs load is found by their names.
      'cd pushd popd dirs exit return break continue wait shift read export unset set shopt ulimit umask unalias kill pkill killall ' +
      // Converters.
      'ffprobe sox cwebp dwebp jpegoptim optipng pngquant exiftool mediainfo pdfinfo pdftoppm pdftotext qpdf iconv objdump ' +
      'readelf'
  )
)

/** Words of a program that are data, besides operands. */
export interface DataWords {
  programs: string
  /** Options whose value is data. */
  data?: string
  /** Letters of options without a value. */
  letters?: string
  /** Long options without a value. */
  plain?: string
  /** The only options whose value may be executed if it is the next word; otherwise every option that is not listed is one. */
  runs?: string
  /** Number of leading operands that are data; all by default. */
  operands?: number
  /** Options are whole words after one dash, rather than groups of letters. */
  wholeWords?: true
  /** The first word is a group of letters, without a dash. */
  lettersFirst?: true
}

const COMPILERS =
  'cc c++ gcc g++ clang clang++ javac rustc ar as ld nm objcopy ranlib strip nasm yasm protoc flatc ffmpeg convert magick ' +
  'identify mogrify rsvg-convert xmllint'

/** Returns the options of a flag notation that take no value in the next word. */
function plainFlags(notation: string): string {
  const flags = splitWords(notation).map(flag => flag.replace(/\?$/, ''))
  return flags
    .flatMap(flag =>
      /[:=<>!;@]$/.test(flag) ? [] : flag.startsWith('--') ? flag : [...flag.slice(1)].map(letter => `-${letter}`)
    )
    .join(' ')
}

const ROWS: readonly DataWords[] = [
  {
    programs: 'tar gtar bsdtar',
    letters: 'cxtrudAvzjJZakpmhOSwWsPRBiGlnoU',
    data:
      '-f --file -C --directory -T --files-from -X --exclude-from --exclude -g --listed-incremental -b -H --format ' +
      '--strip-components --transform --xform --owner --group --mode --mtime -N --newer -K -L --one-top-level',
    plain:
      '--create --extract --get --list --append --update --verbose --gzip --bzip2 --xz --zstd --keep-old-files --overwrite ' +
      '--no-same-owner --no-same-permissions --preserve-permissions --totals --dereference --wildcards',
    lettersFirst: true
  },
  { programs: 'zip', runs: '-TT --unzip-command' },
  { programs: 'sort', letters: 'bcCdfghiMmnrRsuVz', data: '-k -t -S -o --output -T --temporary-directory --key' },
  { programs: 'split', data: '-a -b -C -l -n -t --suffix-length --bytes --lines --number', letters: 'dexu' },
  { programs: 'rg', runs: '--pre --hostname-bin --search-zip' },
  { programs: 'fd fdfind', runs: '-x -X --exec --exec-batch' },
  { programs: 'install', letters: 'bcCdDpsTv', data: '-m --mode -o --owner -g --group -t --target-directory -S' },
  {
    programs: 'patch',
    letters: 'bcElNnRstuvZf',
    data: '-p --strip -d --directory -o --output -r -B -D -F -V -z',
    operands: 1
  },
  { programs: 'jq jaq gojq yq xq tomlq dasel', runs: '-f --from-file -L --library-path', data: '--arg --argjson' },
  { programs: 'nix nix-shell nix-build', data: '-p --packages -A --attr -I --arg --argstr' },
  { programs: 'less more most', runs: '-k -K --lesskey-file --lesskey-src --lesskey-content' },
  { programs: 'man', runs: '-P --pager -C --config-file -H --html -T' },
  { programs: 'nano pico', runs: '-s --speller -f --rcfile -C' },
  {
    programs: 'curl',
    runs: '-K --config --engine',
    data: '-d -F -T -b -c -D -H -E -A -e -u --data --data-binary --form --upload-file --cookie --cookie-jar --cacert --cert --key'
  },
  {
    programs: 'wget',
    runs: '-e --execute --config --use-askpass',
    data: '-O -i -P -a --post-file --body-file --load-cookies --save-cookies --input-file --output-document --ca-certificate'
  },
  {
    programs: 'http https xh aria2c',
    runs: '--conf-path --on-download-complete --on-download-start --on-bt-download-complete'
  },
  {
    programs: 'rsync',
    runs: '-e --rsh --rsync-path --config --early-input -M',
    data: '--exclude --include --exclude-from --include-from --files-from --log-file --password-file --backup-dir --link-dest'
  },
  { programs: 'scp sftp', runs: '-S -F -o -D -b -s' },
  {
    programs: 'gpg gpg2',
    letters: 'abcdeqstv',
    data: '-o --output -r --recipient -u --local-user --passphrase-file --keyring'
  },
  {
    programs: 'openssl',
    wholeWords: true,
    runs: '-engine -provider -provider-path -config -extfile -rand -keyform -certform -inform -outform -ssl_client_engine'
  },
  {
    programs: COMPILERS,
    wholeWords: true,
    runs:
      '-wrapper -plugin --plugin -load -Xclang -Xlinker -Xassembler -Xpreprocessor -B -specs --specs -processor -processorpath ' +
      '--processor-path -T --script -C -Z --codegen -dynamic-linker --catalogs -define -l'
  },
  ...Object.entries({ ...CHECKERS, ...MAKERS, gmake: MAKERS.make! }).map(([programs, notation]) => ({
    programs,
    plain: plainFlags(notation)
  }))
]

export const DATA_WORDS: ReadonlyMap<string, DataWords> = new Map(
  ROWS.flatMap(row => splitWords(row.programs).map((program): [string, DataWords] => [program, row]))
)

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

/** Programs that run commands, or follow instructions, that they read from their input, whatever their words. */
export const FOLLOWS_INPUT: ReadonlySet<string> = new Set(
  splitWords(
    'xargs parallel ssh docker podman nerdctl kubectl oc at batch crontab patch ed ex bc dc gdb lldb ftp sftp lftp telnet nc ncat ' +
      'socat nsenter chroot unshare machinectl iptables-restore debconf-set-selections vim vi nvim view gvim sqlite3 psql mysql mariadb mongo mongosh redis-cli'
  )
)

/** Programs and builtins that have a shell run text in their words, now or later. */
export const RUNS_TEXT: ReadonlySet<string> = new Set(
  splitWords(
    'trap alias bind complete compgen mapfile readarray fc tar gtar bsdtar split rsync scp sftp ssh parallel man less git zip rg watch tmux screen'
  )
)

/** Programs that change the root, or the folder, for the command in their words. */
export const FOLDER_OPTION =
  /^(?:-[CDRdrw]|--?(?:directory|chdir|cwd|root|rootdir|wd|wdns|working-directory|work-dir|workdir|prefix|sysroot|project-directory))$/

/** Builtins that evaluate subscripts in their words, also where these are quoted. */
export const EVALUATES_WORDS: ReadonlySet<string> = new Set(splitWords('printf test [ read export unset'))
