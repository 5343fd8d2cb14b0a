// Build tools with lookups of their files that take more than a table: Cargo, Gradle, Maven, CMake, Meson and pip.
import {
  findUpward,
  joinFolder,
  type SourceCollector,
  type SourceFinder,
  splitWords,
  UNKNOWN
} from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

const addFirst = (sources: SourceCollector, folder: string, names: string) =>
  splitWords(names).some(name => sources.addFile(joinFolder(folder, name)))

const addAll = (sources: SourceCollector, folder: string, names: string) => {
  for (const name of splitWords(names)) sources.addFile(joinFolder(folder, name))
}

/** Subcommands of Cargo that compile, and so execute build scripts. */
const CARGO_COMPILES =
  /^(?:b|build|c|check|t|test|r|run|bench|clippy|d|doc|rustc|rustdoc|fix|install|publish|package|nextest|llvm-cov|tarpaulin|miri|watch|xtask)$/

export const cargo: SourceFinder = (args, sources) => {
  const valued =
    '--manifest-path -p --package -C -F --features --target --bin --example --test --profile -j --config --target-dir'
  const { options, operands } = splitArguments(args, new Set(splitWords(valued)))
  const [command = ''] = operands[0]?.startsWith('+') ? operands.slice(1) : operands
  for (const folder of sources.folders) addFirst(sources, folder, '.cargo/config .cargo/config.toml')
  if (!CARGO_COMPILES.test(command)) return
  const [manifest] = optionValues(options, ['--manifest-path'])
  const folder =
    manifest === undefined
      ? (findUpward(sources, 'Cargo.toml') ?? '.')
      : joinFolder('.', manifest.includes('/') ? manifest.slice(0, manifest.lastIndexOf('/')) : '.')
  const file = joinFolder(folder, 'Cargo.toml')
  sources.addFile(file)
  const named = /^[ \t]{0,20}build[ \t]{0,20}=[ \t]{0,20}"(?<path>[^"\n]+)"/m.exec(sources.read(file) ?? '')?.groups
    ?.path
  sources.addFile(joinFolder(folder, named ?? 'build.rs'))
  addFirst(sources, folder, 'rust-toolchain rust-toolchain.toml')
  sources.addUnknown(UNKNOWN.build)
  if (/^(?:t|test|nextest|bench|llvm-cov|tarpaulin)$/.test(command)) sources.addUnknown(UNKNOWN.tests)
}

export const gradle: SourceFinder = (args, sources, program) => {
  const valued = '-p --project-dir -b --build-file -c --settings-file -I --init-script -g --gradle-user-home -x --tests'
  const { options } = splitArguments(args, new Set(splitWords(valued)))
  const settings = 'settings.gradle settings.gradle.kts'
  const folder = optionValues(options, ['-p', '--project-dir']).at(-1) ?? '.'
  const root = folder === '.' ? (findUpward(sources, ...splitWords(settings)) ?? '.') : folder
  for (const file of optionValues(options, splitWords('-b --build-file -c --settings-file -I --init-script')))
    sources.addFile(file)
  if (program === 'gradlew')
    addAll(sources, root, 'gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar')
  addFirst(sources, root, settings)
  for (const at of folder === root ? [root] : [root, folder]) {
    addFirst(sources, at, 'build.gradle build.gradle.kts')
    addAll(sources, at, 'gradle.properties')
  }
  addFirst(sources, root, 'buildSrc/build.gradle buildSrc/build.gradle.kts')
  addAll(sources, root, 'gradle/libs.versions.toml')
  sources.addUnknown(UNKNOWN.build)
}

export const maven: SourceFinder = (args, sources, program) => {
  const { options } = splitArguments(
    args,
    new Set(splitWords('-f --file -s --settings -P -pl --projects -T -t --toolchains -D -rf'))
  )
  const given = optionValues(options, ['-f', '--file']).at(-1)
  if (given === undefined || !sources.addFile(given)) sources.addFile(joinFolder(given ?? '.', 'pom.xml'))
  for (const file of optionValues(options, ['-s', '--settings'])) sources.addFile(file)
  const files = '.mvn/maven.config .mvn/jvm.config .mvn/extensions.xml .mvn/settings.xml'
  const wrapper = '.mvn/wrapper/maven-wrapper.properties .mvn/wrapper/maven-wrapper.jar'
  const root = findUpward(sources, ...splitWords(`${files} ${wrapper}`)) ?? '.'
  addAll(sources, root, files)
  if (program === 'mvnw') addAll(sources, root, wrapper)
  sources.addUnknown(UNKNOWN.build)
}

export const cmake: SourceFinder = (args, sources) => {
  const valued = '-S -B -P -C -D -U -G -T -A --build --install --preset --toolchain -t --target -j --config --workflow'
  const { options, operands } = splitArguments(args, new Set(splitWords(valued)))
  if (options.has('-E')) return
  const [script] = optionValues(options, ['-P'])
  if (script !== undefined) {
    sources.addFile(script)
    return sources.addUnknown(UNKNOWN.scripts)
  }
  for (const file of optionValues(options, ['-C', '--toolchain'])) sources.addFile(file)
  for (const definition of optionValues(options, ['-D'])) {
    const toolchain = /^CMAKE_TOOLCHAIN_FILE(?::\w+)?=(?<path>.+)$/.exec(definition)?.groups?.path
    if (toolchain !== undefined) sources.addFile(toolchain)
  }
  const [built] = optionValues(options, ['--build', '--install'])
  if (built !== undefined) {
    addAll(sources, built, 'CMakeCache.txt cmake_install.cmake')
    addFirst(sources, built, 'build.ninja Makefile')
  }
  const source = optionValues(options, ['-S'])[0] ?? operands[0] ?? '.'
  addAll(sources, source, 'CMakeLists.txt CMakePresets.json CMakeUserPresets.json')
  sources.addUnknown(UNKNOWN.build)
}

/** Subcommands of Meson, without which it sets up a build. */
const MESON_SUBCOMMANDS = new Set('setup compile test install configure dist introspect init wrap'.split(' '))

export const meson: SourceFinder = (args, sources) => {
  const { operands, options } = splitArguments(
    args,
    new Set(splitWords('-C -D --cross-file --native-file --prefix --buildtype'))
  )
  const [first = ''] = operands
  const folders = MESON_SUBCOMMANDS.has(first) ? operands.slice(1) : operands
  // The folders of the source and of the build come in any order.
  for (const folder of first === 'setup' || !MESON_SUBCOMMANDS.has(first) ? ['.', ...folders.slice(0, 2)] : ['.'])
    addAll(sources, folder, 'meson.build meson.options meson_options.txt')
  for (const file of optionValues(options, ['--cross-file', '--native-file'])) sources.addFile(file)
  for (const folder of optionValues(options, ['-C'])) addAll(sources, folder, 'build.ninja')
  sources.addUnknown(UNKNOWN.build)
}

/** Installing a project from its folder executes its build script. */
export const pip: SourceFinder = (args, sources) => {
  const valued = '-r --requirement -c --constraint -t --target -i --index-url --extra-index-url --prefix -e --editable'
  const { options, operands } = splitArguments(args, new Set(splitWords(valued)))
  const [command = '', ...packages] = operands
  if (!/^(?:install|wheel|download)$/.test(command)) return
  for (const name of [...packages, ...optionValues(options, ['-e', '--editable'])])
    addAll(sources, name.replace(/\[[^\]]*\]$/, ''), 'setup.py setup.cfg pyproject.toml')
  sources.addUnknown(UNKNOWN.packages)
}
