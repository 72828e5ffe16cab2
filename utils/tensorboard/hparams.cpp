#include <taper/utils/tensorboard/summaries.h>

namespace torch::taper::utils::tensorboard::detail {

namespace {

schema::HParamType type_of(const HParam& value) {
  if (std::holds_alternative<std::string>(value)) return schema::DATA_TYPE_STRING;
  if (std::holds_alternative<bool>(value)) return schema::DATA_TYPE_BOOL;
  return schema::DATA_TYPE_FLOAT64;
}

schema::Value value_of(const HParam& value) {
  schema::Value to;
  if (const auto* text = std::get_if<std::string>(&value)) to.set_string_value(*text);
  if (const auto* flag = std::get_if<bool>(&value)) to.set_bool_value(*flag);
  if (const auto* number = std::get_if<double>(&value)) to.set_number_value(*number);
  if (const auto* count = std::get_if<int64_t>(&value))
    to.set_number_value(static_cast<double>(*count));
  return to;
}

// Makes a summary with metadata only, because the plugin reads nothing else.
schema::Summary summary_of(const char* tag, const schema::HParamsPluginData& data) {
  schema::Summary summary;
  schema::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  auto& plugin = *value.mutable_metadata()->mutable_plugin_data();
  plugin.set_plugin_name("hparams");
  plugin.set_content(data.SerializeAsString());
  return summary;
}

}  // namespace

std::vector<schema::Summary> hparams_summaries(
    const HParams& hparams, const std::map<std::string, double>& metrics,
    const std::map<std::string, std::vector<HParam>>& domain) {
  schema::HParamsPluginData experiment, start, end;
  for (const auto& [name, value] : hparams) {
    schema::HParamInfo& info = *experiment.mutable_experiment()->add_hparam_infos();
    info.set_name(name);
    info.set_type(type_of(value));
    if (const auto found = domain.find(name); found != domain.end())
      for (const HParam& choice : found->second)
        *info.mutable_domain_discrete()->add_values() = value_of(choice);
    (*start.mutable_session_start_info()->mutable_hparams())[name] = value_of(value);
  }
  for (const auto& metric : metrics)
    experiment.mutable_experiment()->add_metric_infos()->mutable_name()->set_tag(metric.first);
  start.mutable_session_start_info();
  end.mutable_session_end_info()->set_status(schema::SessionEndInfo::SUCCESS);
  return {summary_of("_hparams_/experiment", experiment),
          summary_of("_hparams_/session_start_info", start),
          summary_of("_hparams_/session_end_info", end)};
}

}  // namespace torch::taper::utils::tensorboard::detail
