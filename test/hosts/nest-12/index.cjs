module.exports = {
  ...require('reflect-metadata'),
  ...require('@nestjs/common'),
  ...require('@nestjs/core'),
  ...require('@nestjs/platform-express'),
  ...require('@nestjs/platform-fastify'),
  from: require('rxjs').from,
}
