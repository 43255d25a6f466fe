import * as zod from 'zod'

import { provideZod } from '../schema/schema.ts'

// who writes changes has loaded zod, so schemas of earlier versions can be made at once
provideZod(zod)

export { zod }
