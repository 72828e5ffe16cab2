#include <taper/distributed/messages.h>

#include <taper/distributed/init.h>
#include <taper/framework/core/check.h>

namespace torch::taper::distributed {

namespace {

void check_message(const P2POp& m, const P2POp& first, const ProcessGroup& group) {
  constexpr const char* kOp = "batch_isend_irecv";
  TAPER_CHECK_VALUE(m.group == first.group, kOp, ": expected messages of one group, got several");
  TAPER_CHECK_VALUE(m.tensor.defined(), kOp, ": expected a tensor, got an undefined one");
  TAPER_CHECK_VALUE(m.tensor.is_contiguous(), kOp, ": expected contiguous tensors, got sizes ",
                    m.tensor.sizes(), " with strides ", m.tensor.strides(), "; call contiguous()");
  TAPER_CHECK_VALUE(m.peer >= 0 && m.peer < group.getSize() && m.peer != group.getRank(), kOp,
                    ": expected another rank below ", group.getSize(), ", got ", m.peer);
}

}  // namespace

std::vector<intrusive_ptr<Work>> batch_isend_irecv(const std::vector<P2POp>& messages) {
  TAPER_CHECK_VALUE(!messages.empty(), "batch_isend_irecv: expected messages, got none");
  const P2POp& first = messages[0];
  const intrusive_ptr<ProcessGroup> group = first.group.defined() ? first.group : default_group();
  for (const P2POp& m : messages) check_message(m, first, *group);
  std::vector<intrusive_ptr<Work>> works;
  for (const P2POp& m : messages) {
    ProcessGroup::Tensors tensors = {m.tensor};
    works.push_back(m.sends ? group->send(tensors, m.peer, m.tag)
                            : group->recv(tensors, m.peer, m.tag));
  }
  return works;
}

}  // namespace torch::taper::distributed
