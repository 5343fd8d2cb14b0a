// Tests of the declarations of the installed package, also with library checking enabled.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { install, NOT_INSTALLED, run } from './packed.ts'

t.test('the types of every export compile', async t => {
  const folder = await install()
  if (folder === undefined) return t.pass('installed', { skip: NOT_INSTALLED })
  const settings = {
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [path.resolve('node_modules/@types')]
    },
    include: ['consumer.ts']
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = path.resolve('node_modules/typescript/bin/tsc')
  const checked = await run(process.execPath, [compiler, '-p', folder], { cwd: folder }).catch(error => error)
  t.equal(checked.stdout, '', 'the types of every door hold')
})
